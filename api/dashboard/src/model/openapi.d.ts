// Made of schemas/openapi/openapi.json by tests/node/openapi/page_types.mjs: never written by hand.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The account of the key, and what an administrator granted. */
        Account: {
            email: string;
            plan: string;
        };
        /** @description An open arb window. */
        Arb: {
            currency: string | null;
            event: components["schemas"]["Event"];
            execution_probability: number;
            /** Format: date-time */
            expires_at: string;
            failed_checks: {
                flag: string;
                reason: string;
            }[];
            id: string;
            implied_probability: number;
            kind: string;
            league: string;
            legs: components["schemas"]["Leg"][];
            line: number | null;
            /** @description The return on the total stake: 0.02 is 2 %. */
            margin: number;
            margin_rounded: number | null;
            margin_worst: number;
            /** @enum {string} */
            market: "h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals";
            /** Format: date-time */
            opened_at: string;
            passed_over: {
                failed_check: {
                    flag: string;
                    reason: string;
                };
                legs: {
                    book: string;
                    outcome: string;
                    price: number | string;
                    /** @enum {string} */
                    side: "back" | "lay";
                }[];
                margin: number;
            } | null;
            period: string;
            rank?: number;
            score: number;
            sequence: number;
            sport: string;
            total_stake_max: number | null;
            ttl_p10_seconds: number;
            ttl_p90_seconds: number;
            ttl_seconds: number;
            /** Format: date-time */
            updated_at: string;
            verification: {
                active: boolean;
                fresh: boolean;
                independent_operators: boolean;
                plausible_margin: boolean;
                plausible_price: boolean;
                same_line: boolean;
                same_rules: boolean;
                simultaneous: boolean;
                stakeable: boolean;
            };
            verified: boolean;
            /** @description By which topic of their clauses the legs may be paid otherwise when the match is not played as planned: `postponed`, `moved`, `starters`, `abandoned`, `void`; null where their books say the same of all, or do not pay a played match alike. */
            void_clause: string | null;
            /** @description The most of the total stake that is lost then: some legs void, each as its book states (nothing, where it does not), and the others settled in the worst way. 0.5 is half of it. */
            void_loss_max: number | null;
            warnings: string[];
        };
        ArbPage: {
            arbs: components["schemas"]["Arb"][];
            /** Format: date-time */
            as_of: string | null;
            next_cursor: string | null;
            polls: components["schemas"]["Poll"][];
            stale: boolean;
        };
        ArbPrices: {
            /** Format: date-time */
            closed_at: string | null;
            id: string;
            legs: {
                /** @description The book of the leg as the window opened. */
                book: string;
                books: components["schemas"]["PriceSeries"][];
                outcome: string;
                /** @enum {string} */
                side: "back" | "lay";
            }[];
            /** Format: date-time */
            opened_at: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
        };
        Bankroll: {
            /** @description Null: each entry's own. */
            currency: string | null;
            /** @description Stakes are multiples of it, in units of the currency. */
            rounding: number;
            /** @description What all stakes of an arb may be together, in units of the currency. */
            total: number;
        };
        BestOddsPage: {
            /** Format: date-time */
            as_of: string | null;
            events: {
                event: components["schemas"]["ListedEvent"];
                /** @description Of each bet the best quote alone. */
                lines: components["schemas"]["OddsLine"][];
            }[];
            next_cursor: string | null;
        };
        BookList: {
            /** Format: date-time */
            as_of?: string | null;
            books: {
                /**
                 * Format: date
                 * @description The day on which somebody last compared it with its source; null is never.
                 */
                checked_at: string | null;
                /** @description What it states about how it settles; what no clause states is not known. */
                clauses: {
                    /**
                     * Format: date
                     * @description The day on which somebody last compared it with its source; null is never.
                     */
                    checked_at: string | null;
                    /**
                     * Format: date
                     * @description The date that the text bears; null where it bears none.
                     */
                    from: string | null;
                    /** @description The sport or league that it is of; null is all. */
                    league: string | null;
                    /** @description The markets that it is of; none is all. */
                    markets: string[];
                    /** @description The sentence that it rests on. */
                    says: string;
                    /** @description Where it is stated, or what could not be looked up. */
                    source: string | null;
                    /**
                     * @description What it is about: the first five of a match that is played, the others of one that is not played as planned.
                     * @enum {string}
                     */
                    topic: "periods" | "level" | "push" | "shortened" | "retirement" | "postponed" | "moved" | "starters" | "abandoned" | "void";
                    /** @description What it says of it: equal for books of which it is the same. */
                    value: string;
                }[];
                currency: string | null;
                expected_interval_seconds: number | null;
                /** @description What it keeps, oldest first; empty is nothing beyond its price. */
                fees: {
                    /**
                     * Format: date
                     * @description The day on which somebody last compared it with its source; null is never.
                     */
                    checked_at: string | null;
                    /**
                     * Format: date
                     * @description Since when it holds; null of what no table states.
                     */
                    from: string | null;
                    /** @description At present, in its leagues. */
                    holds: boolean;
                    /** @enum {string} */
                    kind: "none" | "commission" | "kalshi" | "polymarket";
                    /** @description Null is all. */
                    league: string | null;
                    /** @description Of winnings, or of a contract's p(1 - p). */
                    rate: number;
                    /** @description Where it is stated, or what could not be looked up. */
                    source: string | null;
                }[];
                /**
                 * Format: date
                 * @description Since when it holds; null of what no table states.
                 */
                from: string | null;
                is_in_table: boolean;
                /** @description An administrator has suspended the book, or every source that has a price of it. */
                is_suspended: boolean;
                key: string;
                /** @enum {string} */
                kind: "bookmaker" | "exchange" | "prediction_market";
                /** Format: date-time */
                last_seen_at: string | null;
                /** @description In which form it makes its prices: decimal, american, fractional or probability; null: not known. */
                native_form: string | null;
                operator: string | null;
                /** @description How often the source of its prices is polled; null until two polls of it have come, and of a source that is not polled. */
                polled_every_seconds?: number | null;
                prices_on_offer: number;
                /** @description In what sizes it takes bets. */
                sizes: {
                    /**
                     * Format: date
                     * @description The day on which somebody last compared it with its source; null is never.
                     */
                    checked_at: string | null;
                    /**
                     * Format: date
                     * @description Since when it holds; null of what no table states.
                     */
                    from: string | null;
                    /** @description The least order; 0 is no bound of its kind. null: not known; one unit of the currency is taken, and of a lay as much at risk. */
                    least: {
                        contracts: number;
                        /** @description What a lay risks, in units of the currency. */
                        liability: number;
                        /** @description Of a back its stake, of a lay the backer's, in units of the currency. */
                        stake: number;
                    } | null;
                    /** @description Where it is stated, or what could not be looked up. */
                    source: string | null;
                    /** @description An order is a multiple of this. */
                    step: number;
                    /**
                     * @description In what the step is counted: units of the currency, or contracts, each of which pays one unit or nothing.
                     * @enum {string}
                     */
                    unit: "currency" | "contract";
                };
                /** @description Where it is stated, or what could not be looked up. */
                source: string | null;
                stale_events: number;
                /** Format: date-time */
                stale_since: string | null;
            }[];
        };
        Bot: {
            bot: string;
            records: components["schemas"]["BotRecord"][];
            rule: string;
            version: number;
        };
        BotList: {
            bots: {
                bot: string;
                records: components["schemas"]["BotRecordShort"][];
                rule: string;
                version: number;
            }[];
        };
        BotRecord: {
            bets: number;
            calibration: {
                bets: number;
                stated: number;
                won: number;
            }[];
            closing_line_value: {
                bets: number;
                mean: number | null;
                standard_error: number | null;
            };
            closing_scores: {
                bets: number;
                brier: number | null;
                log: number | null;
            };
            drawdown: number;
            equity: {
                bets: number;
                /** @description The sum less and plus 1.96 standard errors; null below ten match days. */
                interval: null | number[];
                /** @description The sum of profits, in units. */
                profit: number;
            }[];
            /** @enum {string} */
            feed: "simulated" | "recorded" | "live";
            /** @description 95 % of the mean profit by match day; null below ten match days. */
            interval: null | number[];
            leagues: {
                bets: number;
                league: string;
                return: number | null;
                standard_error: number | null;
            }[];
            months: {
                bets: number;
                month: string;
                return: number | null;
                standard_error: number | null;
            }[];
            /** @description Whether bets were still on offer after publishing, at their price or a better one. */
            on_offer: {
                after_minute: {
                    /** @description For which it was observed. */
                    bets: number;
                    /** @description The part of them that was still on offer. */
                    share: number | null;
                    standard_error: number | null;
                };
                after_poll: {
                    /** @description For which it was observed. */
                    bets: number;
                    /** @description The part of them that was still on offer. */
                    share: number | null;
                    standard_error: number | null;
                };
            };
            open: number;
            picks: number;
            /** @description Mean profit per unit staked. */
            return: number | null;
            scores: {
                bets: number;
                brier: number | null;
                log: number | null;
            };
            /** @description What the evidence allows. */
            sentence: string;
            standard_error: number | null;
            /** @description The return of the bets that nothing has refuted since. */
            undisputed: {
                bets: number;
                return: number | null;
                standard_error: number | null;
            };
            version: number;
            without_result: number;
        };
        BotRecordShort: {
            bets: number;
            /** @enum {string} */
            feed: "simulated" | "recorded" | "live";
            open: number;
            picks: number;
            /** @description Mean profit per unit staked. */
            return: number | null;
            /** @description What the evidence allows. */
            sentence: string;
            standard_error: number | null;
            version: number;
            without_result: number;
        };
        Changes: {
            events?: Record<string, never>[];
            has_more?: boolean;
            next?: string;
        };
        Credentials: {
            email: string;
            invitation?: string;
            password: string;
            /** @description The answer to the proof of work that a refusal asks for. */
            proof?: string;
        };
        /** @description An attempt, or what ended before its first one. */
        Delivery: {
            answer: string | null;
            /** Format: date-time */
            at: string;
            attempt: number;
            /** Format: date-time */
            event_read_at: string;
            latency_seconds: number;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @enum {string} */
            outcome: "delivered" | "failed" | "given_up" | "gone" | "expired" | "superseded" | "overflowed" | "dropped";
            status: number | null;
            subject: string;
            type: string;
            webhook_id: string;
        };
        DeliveryPage: {
            deliveries: components["schemas"]["Delivery"][];
            next_cursor: string | null;
        };
        /** @description What came of the deliveries of an endpoint. */
        DeliveryStatistics: {
            attempts: number;
            delivered_after_seconds: {
                p50: number;
                p99: number;
            } | null;
            deliveries: number;
            latency_seconds: {
                p50: number;
                p99: number;
            } | null;
            outcomes: {
                [key: string]: number;
            };
            /** Format: date-time */
            since: string;
            statuses: {
                [key: string]: number;
            };
            /** Format: date-time */
            until: string;
        };
        Document: Record<string, never>;
        /** @description A sporting event. */
        Event: {
            away: string;
            /** Format: date-time */
            commence_time: string;
            home: string;
            id: string;
            in_play?: boolean;
        };
        EventPage: {
            /** Format: date-time */
            as_of: string | null;
            events: components["schemas"]["ListedEvent"][];
            next_cursor: string | null;
        };
        EventSent: {
            /** @description The delivery, as the log names it. */
            webhook_id: string;
        };
        /** @description What the flags of an open window were last decided by. A flag holds exactly where all of its measures do. */
        Evidence: {
            flags: {
                /** @enum {string} */
                flag: "simultaneous" | "fresh" | "active" | "same_line" | "same_rules" | "independent_operators" | "plausible_price" | "plausible_margin" | "stakeable";
                holds: boolean;
                measures: {
                    holds: boolean;
                    /**
                     * @description What the value must be to the threshold.
                     * @enum {string}
                     */
                    holds_when: "at_most" | "at_least" | "above" | "below" | "equal" | "another_than";
                    /** @description The book of the leg that it is about; null of one about all. */
                    leg: string | null;
                    measure: string;
                    threshold: number | string | boolean | null;
                    value: number | string | boolean | null;
                }[];
            }[];
            /**
             * Format: date-time
             * @description When its flags were last decided, in the time of the feed.
             */
            judged_at: string;
            legs: {
                book: string;
                limit: number | null;
                /**
                 * Format: date-time
                 * @description When the source first confirmed this price.
                 */
                on_offer_from: string;
                /**
                 * Format: date-time
                 * @description When it last did.
                 */
                on_offer_until: string;
                operator: string;
                outcome: string;
                price: number;
                /** @description What the clauses of its book say of a match that is played, by the topics that matter to the bet: `periods extra_time, level refunded`; null where no clause says anything. */
                rules: string | null;
                /** @enum {string} */
                side: "back" | "lay";
            }[];
            /** @description The prices of all books on the line. */
            quotes: components["schemas"]["Quote"][];
            /** @description Of the window's latest transition. */
            sequence: number;
            simultaneity: {
                /** Format: date-time */
                earliest_end: string;
                holds: boolean;
                /** Format: date-time */
                latest_start: string;
                /** @description Below 0 where no moment is proven. */
                overlap_seconds: number;
            };
        };
        Hedge: {
            currency: string | null;
            id: string;
            legs: {
                book: string;
                liability: number | null;
                outcome: string;
                placed: boolean;
                price: number;
                /** @enum {string} */
                side: "back" | "lay";
                stake: number;
            }[];
            results: {
                legs: string[];
                profit: number;
            }[];
            sequence: number;
            total_stake: number;
            worst_profit: number;
        };
        HedgeRequest: {
            placed: {
                book: string;
                /** @enum {string} */
                outcome?: "home" | "draw" | "away" | "over" | "under";
                price: number;
                stake: number;
            }[];
        };
        Key: {
            cidrs: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            kid: string;
            /** Format: date-time */
            last_used_at?: string | null;
            /** @enum {string} */
            mode: "live" | "test";
            monthly_cap: number | null;
            name: string;
            prefix: string;
            replaced_by?: string | null;
            scopes: string[];
        };
        KeyList: {
            keys: components["schemas"]["Key"][];
        };
        KeyRequest: {
            cidrs?: string[];
            /** Format: date-time */
            expires_at?: string;
            /** @enum {string} */
            mode?: "live" | "test";
            monthly_cap?: number;
            name?: string;
            scopes?: ("board:read" | "signals:read" | "picks:read" | "stream:read" | "history:read" | "usage:read" | "scan:write" | "ticks:write" | "events:write" | "results:write" | "results:any" | "webhooks:manage" | "keys:manage")[];
        };
        LaterOffer: {
            /** Format: date-time */
            last_seen_at: string;
            /** @description Null where it offered nothing. */
            price: number | null;
        };
        /** @description A bet of an arb. */
        Leg: {
            age_seconds?: number;
            book: string;
            /** @description Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            effective_price: number | string;
            expected_interval_seconds: number;
            implied_probability: number;
            /** Format: date-time */
            last_seen_at: string;
            liability: number | null;
            limit: number | null;
            /** @description Where the bet can be placed: an address of http or https, of the source or of the table of books. */
            link?: string | null;
            operator: string | null;
            /** @enum {string} */
            outcome: "home" | "draw" | "away" | "over" | "under";
            /** @description Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            price: number | string;
            /** Format: date-time */
            price_moved_at: string;
            /** @description effective_price is of the worst price in the book's own form that is written as price. */
            rounded?: boolean;
            /** @enum {string} */
            side: "back" | "lay";
            /** @description Units of the currency. */
            stake: number | null;
            stake_share: number;
        };
        ListedEvent: {
            arbs: number;
            away: string;
            books: number;
            /** Format: date-time */
            commence_time: string;
            group: string;
            home: string;
            id: string;
            in_play: boolean;
            /** Format: date-time */
            last_seen_at: string;
            league: string;
            markets: string[];
            sport: string;
        };
        /** @description Names. */
        Names: string[];
        NewAccount: {
            email: string;
            plan: string;
        };
        NewKey: components["schemas"]["Key"] & {
            /** @description Shown in this answer and never again. */
            key: string;
        };
        Odds: {
            /** Format: date-time */
            as_of: string | null;
            event: components["schemas"]["ListedEvent"];
            lines: components["schemas"]["OddsLine"][];
        };
        OddsHistory: {
            bets: {
                books: components["schemas"]["PriceSeries"][];
                /** @enum {string} */
                outcome: "home" | "draw" | "away" | "over" | "under";
                /** @enum {string} */
                side: "back" | "lay";
            }[];
            /** @description Its id. */
            event: string;
            line: number | null;
            market: string;
            period: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
        };
        OddsLine: {
            line: number | null;
            market: string;
            period: string;
            quotes: components["schemas"]["Quote"][];
        };
        OverlapRequest: {
            /** @description How long both secrets sign. */
            overlap_seconds?: number;
        };
        PasswordChange: {
            current_password: string;
            new_password: string;
        };
        /** @description A bet that a bot published before its event. */
        Pick: {
            book: string;
            bot: string;
            closing: null | {
                /** Format: date-time */
                last_seen_at: string;
                price: number | null;
                probability: number;
            };
            closing_line_value: number | null;
            /** @description What refuted the pick after it was published: its price was an error of its book, or its result was withdrawn. Null where nothing does. */
            disputed: {
                /** @description book_error or result_withdrawn; there may be more. */
                reason: string;
                text: string;
            } | null;
            draw_refunds: boolean;
            event: components["schemas"]["Event"];
            /** @enum {string} */
            feed: "simulated" | "recorded" | "live";
            grades: components["schemas"]["PickGrade"][];
            id: string;
            league: string;
            line: number | null;
            /** @enum {string} */
            market: "h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals";
            method: string;
            /** @description What the book offered one to two minutes after publishing; null where that was not observed. */
            offer_after_minute: null | components["schemas"]["LaterOffer"];
            /** @description What the book offered at the first poll after publishing; null where that was not observed, as of every simulated pick. */
            offer_after_poll: null | components["schemas"]["LaterOffer"];
            /** @enum {string} */
            outcome: "home" | "draw" | "away" | "over" | "under";
            period: string;
            price: number;
            probability: number;
            /** Format: date-time */
            published_at: string;
            reasons: string[];
            result: null | components["schemas"]["PickGrade"];
            sport: string;
            /** @description A fraction of the bank. */
            stake: number;
            /** Format: date-time */
            starts_at: string;
            version: number;
        };
        PickGrade: {
            /** Format: date-time */
            at: string;
            away: number | null;
            home: number | null;
            /** @description Per unit staked. */
            profit: number;
            /** @enum {string} */
            settlement: "won" | "half_won" | "push" | "half_lost" | "lost" | "void" | "open" | "no_result";
            source: string;
            version: number;
        };
        PickPage: {
            /** Format: date-time */
            as_of: string | null;
            next_cursor: string | null;
            picks: components["schemas"]["Pick"][];
        };
        Poll: {
            /** Format: date-time */
            polled_at: string;
            source: string;
        };
        PriceSeries: {
            book: string;
            points: {
                /** Format: date-time */
                at: string;
                /** @description Decimal odds; null while they were suspended. */
                price: number | null;
            }[];
        };
        /** @description An error, as RFC 9457 has it. */
        Problem: {
            /** @description What is wrong with this request. */
            detail: string;
            errors?: Record<string, never>[];
            invalid_params?: {
                name: string;
                reason: string;
            }[];
            /** @description What to compute to go on: a text of which the SHA-256 of the challenge, a colon and the text begins with so many zero bits. */
            proof?: {
                /** @enum {string} */
                algorithm: "sha-256";
                bits: number;
                challenge: string;
            };
            status: number;
            title: string;
            /** @description A path of this API that explains the error. */
            type: string;
        };
        PushLetters: {
            dead_letters: {
                /** Format: date-time */
                dead_lettered_at: string;
                error: string;
                /** @description The event's id. */
                event: string;
                /** @description docs/api/ticks.md says what each means. */
                reason: string;
                /** Format: int64 */
                sequence: number;
                /** @description How many prices the update has. */
                ticks: number;
            }[];
            /** @description The caller's, as it was granted. */
            source: string;
        };
        /** @description Names and start of an event of the source's own; with the scope events:write. */
        PushedEvent: {
            away: string;
            /** Format: date-time */
            commence_time: string;
            home: string;
            id: string;
            league: string;
            sport: string;
        };
        /** @description A price of a book, as the processor holds it. */
        Quote: {
            age_seconds: number | null;
            book: string;
            /** @description Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            effective_price: number | string;
            /** @description Of the odds of an event: the best of its bet after fees, among prices on offer at books of the table. */
            is_best?: boolean;
            /** Format: date-time */
            last_seen_at: string;
            limit: number | null;
            /** @enum {string} */
            outcome: "home" | "draw" | "away" | "over" | "under";
            /** @description Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            price: number | string;
            /** Format: date-time */
            price_moved_at: string;
            /** @enum {string} */
            side: "back" | "lay";
            /** @enum {string} */
            status: "on_offer" | "suspended" | "stale" | "started";
        };
        RegistryConfig: {
            compatibilityLevel: string;
        };
        /** @description An error as RFC 9457 has it; where it is the registry's own, with what its clients read. */
        RegistryError: {
            /** @description What is wrong with this request. */
            detail: string;
            /** @description The registry's code, such as 40401. */
            error_code?: number;
            /** @description As `detail`. */
            message?: string;
            status: number;
            title: string;
            /** @description A path of this API that explains the error. */
            type: string;
        };
        RegistryMode: {
            mode: string;
        };
        /** @description A schema. */
        RegistrySchema: {
            /** @description The schema as text. */
            schema: string;
        };
        RegistryUses: {
            subject: string;
            version: number;
        }[];
        RegistryVersion: {
            id: number;
            schema: string;
            subject: string;
            version: number;
        };
        Result: {
            away?: string;
            /** @enum {string} */
            ended?: "regulation" | "overtime" | "shootout" | "retired";
            event: string;
            home?: string;
            scores?: {
                away: number;
                home: number;
                period: string;
            }[];
            /** Format: date-time */
            starts_at?: string;
            /** @enum {string} */
            status: "in_progress" | "postponed" | "finished" | "abandoned" | "cancelled" | "walkover";
        };
        ResultTaken: {
            event: string;
            /** Format: date-time */
            graded_from: string | null;
            status: string;
        };
        Rotation: {
            grace_seconds?: number;
        };
        /** @description A scan and what is known of it; docs/api/scan.md has every field. */
        Scan: {
            arbs: Record<string, never>[];
            id: string;
            /** @enum {string} */
            status: "pending" | "complete" | "partial";
        };
        /** @description At least one of sport, league, event_ids and event_group. */
        ScanRequest: {
            books?: string[];
            event_group?: string;
            event_ids?: string[];
            league?: string;
            markets?: ("h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals")[];
            min_margin?: number;
            sport?: string;
            total_stake?: number;
            wait_seconds?: number;
        };
        /** @description The score of an event in play as a source reports it, for display: bets are settled by results. */
        Score: {
            away: string;
            away_points: number;
            /** @description Its id. */
            event: string;
            /**
             * Format: date-time
             * @description From then on it is too old to be shown.
             */
            expires_at: string;
            /** @description The side whose points are home_points; a source may name the sides the other way round than the board. */
            home: string;
            home_points: number;
            league: string;
            /** @description The period that is played, as the source states it; null where it does not. */
            period: string | null;
            /**
             * Format: date-time
             * @description When the source last confirmed it.
             */
            reported_at: string;
            source: string;
            sport: string;
        };
        ScoreList: {
            /** Format: date-time */
            as_of: string | null;
            scores: components["schemas"]["Score"][];
        };
        Session: {
            bankroll: components["schemas"]["Bankroll"] | null;
            csrf_token: string;
            email: string;
            /** Format: date-time */
            expires_at: string;
            plan: string;
        };
        /** @description An open edge signal. */
        Signal: {
            bets: components["schemas"]["SignalQuote"][];
            confidence: number;
            event: components["schemas"]["Event"];
            evidence: components["schemas"]["SignalQuote"][];
            /** Format: date-time */
            expires_at: string;
            fair: {
                method: string;
                probability: number;
            }[];
            id: string;
            kelly: number | null;
            /** @enum {string} */
            kind: "value" | "low_hold" | "middle" | "steam" | "stale_price" | "odds_drop";
            league: string;
            line: number | null;
            /** @enum {string} */
            market: "h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals";
            /** Format: date-time */
            opened_at: string;
            outcome: string | null;
            period: string;
            sequence: number;
            sport: string;
            strength: number;
            /** Format: date-time */
            updated_at: string;
        };
        SignalPage: {
            /** Format: date-time */
            as_of: string | null;
            next_cursor: string | null;
            polls: components["schemas"]["Poll"][];
            signals: components["schemas"]["Signal"][];
            stale: boolean;
        };
        SignalQuote: {
            age_seconds?: number;
            book: string;
            /** @description Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            effective_price: number | string;
            /** Format: date-time */
            last_seen_at: string;
            line: number | null;
            operator: string | null;
            /** @enum {string} */
            outcome: "home" | "draw" | "away" | "over" | "under";
            /** @description Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            price: number | string;
            price_from: number | string | null;
            /** Format: date-time */
            price_moved_at: string;
            role: string;
            /** @enum {string} */
            side: "back" | "lay";
        };
        Since: {
            /** Format: date-time */
            since: string;
        };
        SportList: {
            sports: {
                leagues: {
                    arbs: number;
                    league: string;
                    signals: number;
                }[];
                sport: string;
            }[];
        };
        Status: {
            arbs: number;
            /** Format: date-time */
            as_of: string | null;
            is_computing_own_books: boolean;
            /** @description By role, how many records of Kafka its consumer groups have not read yet, some seconds ago. A role whose group is not known is left out; so are all roles in the first answer after a while without questions. */
            lag_records?: {
                [key: string]: number;
            };
            signals: number;
            sources: {
                [key: string]: {
                    /** Format: date-time */
                    polled_at: string;
                };
            };
            /** @enum {string} */
            status: "starting" | "ok" | "stale";
        };
        /** @description docs/api/ticks.md has every field. */
        TickLine: {
            /** @description One of the granted books. */
            book: string;
            event: string | components["schemas"]["PushedEvent"];
            /** @description The largest stake, in the book's currency. */
            limit?: number | null;
            /** @description Of spreads and totals; of spreads the home side's handicap. */
            line?: number | null;
            /** @description As The Odds API writes them: h2h, totals_h1. */
            market: string;
            /** @enum {string} */
            outcome: "home" | "draw" | "away" | "over" | "under";
            /** @description Decimal odds. */
            price: number;
            /**
             * Format: int64
             * @description The number of the update.
             */
            sequence: number;
            /** @enum {string|null} */
            side?: "back" | "lay" | null;
            /** @enum {string|null} */
            status?: "active" | "suspended" | null;
        };
        TickLines: {
            lines: components["schemas"]["TickLine"][];
        };
        Ticket: {
            /**
             * Format: date-time
             * @description 60 s from now: until then the first connection must come.
             */
            expires_at?: string;
            /** @description The filters as a query, to which the ticket is bound. */
            query?: string;
            /** @description The value of the parameter `ticket` of the stream. It is spent by its first connection. */
            ticket: string;
        };
        /**
         * @description For which page a stream is opened.
         * @example {
         *       "filters": {
         *         "min_margin": "0.02",
         *         "sport": "soccer"
         *       },
         *       "origin": "https://app.example"
         *     }
         */
        TicketRequest: {
            /** @description The filters of the stream, as texts. The page must ask for the stream with the same. */
            filters?: {
                [key: string]: string;
            };
            /** @description The origin of the page, one of those that the server allows (`--cors-origins`). */
            origin: string;
        };
        Ticks: {
            /** @description Lines that are in Kafka. */
            accepted: number;
            errors: {
                field: string | null;
                /** @description From 1. */
                line: number;
                reason: string;
            }[];
            rejected: number;
            /** @description In so many updates. */
            updates: number;
        };
        Transition: {
            /** Format: date-time */
            at: string;
            change: string;
            legs: {
                book: string;
                outcome: string;
                price: number;
                /** @enum {string} */
                side: "back" | "lay";
                stake_share: number;
            }[];
            margin: number;
            reason: string | null;
            sequence: number;
            simultaneous: boolean;
            verified: boolean;
        };
        Truth: {
            books: {
                age_p50_seconds: number | null;
                age_p95_seconds: number | null;
                age_p99_seconds: number | null;
                book: string;
                closed: number;
                median_lifetime_seconds: number | null;
                phantom_share: number | null;
                /** @description Windows that were never simultaneous. */
                phantoms: number;
                /** @description Windows that were verified at some time. */
                verified: number;
                windows: number;
            }[];
            execution: {
                /** @description The part that lived so long. */
                lived: number;
                /** @description The mean of the probability that was stated. */
                stated: number;
                windows: number;
            }[];
            feed: string | null;
            hours: number;
            lifetimes: {
                /** @description 0.5 where lifetimes are calibrated. */
                closed_by_median: number | null;
                /** @description 0.1 where lifetimes are calibrated. */
                closed_by_p10: number | null;
                /** @description 0.9 where lifetimes are calibrated. */
                closed_by_p90: number | null;
                phase: string;
                windows: number;
            }[];
            phases: {
                closed: number;
                median_lifetime_seconds: number | null;
                phantom_share: number | null;
                /** @description Windows that were never simultaneous. */
                phantoms: number;
                phase: string;
                /** @description Windows that were verified at some time. */
                verified: number;
                windows: number;
            }[];
            /** Format: date-time */
            since: string | null;
            standing: {
                /**
                 * @description What windows are put together by, beside the phase.
                 * @enum {string}
                 */
                by: "phase" | "league" | "gap" | "book";
                /** @description The standard error of the share. */
                error: number | null;
                /** @description Which of them: the key of a league or a book; of a gap the seconds to the deciding confirmation at most, 60, 300, 900, 3600 or longer; null of a phase. */
                of: string | null;
                phase: string;
                share: number | null;
                /** @description Those whose legs were all on offer at their prices or better at that confirmation. */
                stood: number;
                /**
                 * @description Since they opened, or since they were verified for the first time.
                 * @enum {string}
                 */
                verdict: "opened" | "verified";
                /** @description Windows that are closed and whose legs were each confirmed after the verdict, or one of them was worse, suspended or gone. */
                windows: number;
            }[];
            /**
             * Format: date-time
             * @description When it was written to ClickHouse.
             */
            stored_at: string | null;
            /**
             * Format: date-time
             * @description The newest transition of the feed.
             */
            until: string | null;
        };
        Usage: {
            beyond_quota: number;
            days: {
                [key: string]: number;
            };
            forfeited: number;
            keys: {
                [key: string]: number;
            };
            open_leases: number;
            open_streams: number;
            /** Format: date-time */
            period_end: string;
            /** Format: date-time */
            period_start: string;
            plan: string;
            quota: number;
            remaining: number;
            /** Format: date-time */
            reset: string;
            routes: {
                [key: string]: number;
            };
            used: number;
        };
        Versions: number[];
        Webhook: {
            /** @description How attempts to it fail. */
            circuit: {
                /** @description Attempts that failed in a row. */
                failures: number;
                /**
                 * Format: date-time
                 * @description Until when nothing but a test event is sent; null below five failures.
                 */
                open_until: string | null;
                /** @description Events that wait while attempts fail. */
                waiting: number;
            };
            /** Format: date-time */
            created_at: string;
            description: string;
            events: string[];
            filters: {
                [key: string]: string;
            };
            id: string;
            ordered: boolean;
            paused: boolean;
            /** @enum {string} */
            policy: "live" | "durable";
            /** Format: date-time */
            previous_secret_until: string | null;
            rate_limit: number | null;
            reason: string | null;
            /** @description When it is created, and nowhere else. */
            secret?: string;
            /** @enum {string} */
            state: "unverified" | "active" | "disabled";
            url: string;
        };
        WebhookChange: {
            description?: string;
            events?: string[];
            filters?: {
                [key: string]: string | number | boolean;
            };
            ordered?: boolean;
            paused?: boolean;
            /** @enum {string} */
            policy?: "live" | "durable";
            rate_limit?: number | null;
            url?: string;
        };
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        WebhookRequest: {
            description?: string;
            events?: string[];
            filters?: {
                [key: string]: string | number | boolean;
            };
            ordered?: boolean;
            paused?: boolean;
            /** @enum {string} */
            policy?: "live" | "durable";
            rate_limit?: number | null;
            url: string;
        };
        Window: {
            /** Format: date-time */
            closed_at: string | null;
            /** @description Null is what the opening said, where only the end of a window is still stored. */
            event: {
                away: string | null;
                /** Format: date-time */
                commence_time: string | null;
                home: string | null;
                id: string;
            };
            feed: string;
            id: string;
            in_play: boolean | null;
            kind: string | null;
            league: string;
            legs: {
                book: string;
                outcome: string;
                price: number;
                /** @enum {string} */
                side: "back" | "lay";
                stake_share: number;
            }[];
            lifetime_seconds: number | null;
            line: number | null;
            margin_close: number | null;
            margin_open: number | null;
            margin_peak: number | null;
            market: string;
            /** Format: date-time */
            opened_at: string;
            period: string;
            reason: string | null;
            /** @description What it came to; null while the result is not known. */
            settlement: null | components["schemas"]["WindowSettlement"];
            simultaneous_ever: boolean;
            sport: string;
            /** @description Whether all legs were on offer at their prices or better when each was first confirmed after it opened; null while it is open, and where one was not confirmed before it closed. */
            stood: boolean | null;
            updates: number;
            verified_ever: boolean;
            /** @description As stood, after it was verified for the first time. */
            verified_stood: boolean | null;
        };
        /** @description A grading of a window by the result of its event. */
        WindowGrade: {
            /**
             * Format: date-time
             * @description When it was reported.
             */
            at: string;
            away: number | null;
            /** @description Points of the home side in the period; null where the bets are decided without them. */
            home: number | null;
            /** @description In the order of the legs; empty unless it is settled. */
            legs: {
                /** @description A part of the total stake. */
                returned: number;
                /** @enum {string} */
                settlement: "won" | "half_won" | "push" | "half_lost" | "lost" | "void";
            }[];
            /** @description Per unit of the total stake; null unless it is settled. */
            profit: number | null;
            /** @description Per unit of the total stake; null unless it is settled. */
            returned: number | null;
            /** @description Who reported the result. */
            source: string;
            /**
             * @description open: the result by which it was settled was withdrawn.
             * @enum {string}
             */
            state: "settled" | "open";
            /** @description The number of the grading, from 1: a correction is another one. */
            version: number;
        };
        WindowHistory: {
            evidence?: null | components["schemas"]["Evidence"];
            /** @description All of them in their order, the last of which counts. */
            gradings?: components["schemas"]["WindowGrade"][];
            open: null | components["schemas"]["Arb"];
            transitions?: components["schemas"]["Transition"][];
            window?: null | components["schemas"]["Window"];
        };
        WindowPage: {
            next_cursor: string | null;
            windows: components["schemas"]["Window"][];
        };
        /** @description The last grading of a window that is settled. */
        WindowSettlement: {
            /**
             * Format: date-time
             * @description When it was reported.
             */
            at: string;
            away: number | null;
            /** @description Points of the home side in the period; null where the bets are decided without them. */
            home: number | null;
            /** @description In the order of the legs. */
            legs: {
                /** @description A part of the total stake. */
                returned: number;
                /** @enum {string} */
                settlement: "won" | "half_won" | "push" | "half_lost" | "lost" | "void";
            }[];
            /** @description Per unit of the total stake. */
            profit: number;
            /** @description Per unit of the total stake. */
            returned: number;
            /** @description Who reported the result. */
            source: string;
            /** @enum {string} */
            state: "settled";
            /** @description The number of the grading, from 1: a correction is another one. */
            version: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
