// Made of schemas/openapi/openapi.json by tests/node/openapi/page_types.mjs: never written by hand.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The account of the key, and what an administrator granted. */
        Account: {
            /** Format: date-time */
            created_at: string;
            disabled: boolean;
            email: string;
            /** @description What an administrator granted. */
            granted: {
                /** @description Of which odds may be pushed. */
                books: string[];
                /** @description What is pushed is for everybody; else for this account alone. */
                is_public: boolean;
                scopes: string[];
                /** @description Under which odds are pushed; null: none. */
                source: string | null;
            };
            id: string;
            plan: string;
        };
        /** @description An open arb window as it is now. */
        Arb: {
            /** @description Of all stakes, ISO 4217; null when a leg's is not known. */
            currency: string | null;
            /** @description The event. */
            event: components["schemas"]["Event"];
            /** @description The probability that the window stays open long enough to be placed. */
            execution_probability: number;
            /** Format: date-time */
            expires_at: string;
            /** @description Why a flag does not hold, one for each. */
            failed_checks: {
                /** @description The flag. One of: simultaneous, fresh, active, same_line, same_rules, independent_operators, plausible_price, plausible_margin, stakeable; there may be more. */
                flag: string;
                /** @description One sentence, for a person. */
                reason: string;
            }[];
            /** @description Window id, one from open to close; the key of the record. */
            id: string;
            /** @description S, the sum of 1/effective price over the legs. */
            implied_probability: number;
            /** @description What kind of window it is. One of: surebet; there may be more. */
            kind: string;
            league: string;
            /** @description The bets, in the order of the outcome set. */
            legs: components["schemas"]["Leg"][];
            /** @description Line. In points or goals; of a spread the home side's handicap. */
            line: number | null;
            /** @description 1/S - 1, the return on the total stake: 0.02 is 2 %. */
            margin: number;
            /** @description Least return of the legs' stakes, without pushes; null when none can be placed. */
            margin_rounded: number | null;
            /** @description Least return over settlement states. */
            margin_worst: number;
            /**
             * @description Market family.
             * @enum {string}
             */
            market: "h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals";
            /**
             * Format: date-time
             * @description When the window opened.
             */
            opened_at: string;
            /** @description A cheaper cover that is not eligible, which the legs were chosen over; null: there is none. */
            passed_over: {
                /** @description The first reason why it is not eligible. */
                failed_check: {
                    /** @description The flag. One of: simultaneous, fresh, active, same_line, same_rules, independent_operators, plausible_price, plausible_margin, stakeable; there may be more. */
                    flag: string;
                    /** @description One sentence, for a person. */
                    reason: string;
                };
                /** @description Its bets, in the order of the outcome set. */
                legs: {
                    /** @description The book. */
                    book: string;
                    /**
                     * @description What is bet on.
                     * @enum {string}
                     */
                    outcome: "home" | "draw" | "away" | "over" | "under";
                    /** @description At what price. Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
                    price: number | string;
                    /**
                     * @description For it, or against it.
                     * @enum {string}
                     */
                    side: "back" | "lay";
                }[];
                /** @description 1/S - 1 by its effective prices. */
                margin: number;
            } | null;
            /** @description Period of the market. One of: full_time, h1, h2, q1, q2, q3, q4, p1, p2, p3; there may be more. */
            period: string;
            /** @description Its place on the whole board, from 1. */
            rank?: number;
            /** @description What the rank is made of, beside the verification: the rounded margin times the probability of execution. */
            score: number;
            /** @description Of the last transition; grows within a partition. */
            sequence: number;
            sport: string;
            /** @description The largest total stake within limits; null when no limit is known. In units of its currency. */
            total_stake_max: number | null;
            ttl_p10_seconds: number;
            ttl_p90_seconds: number;
            ttl_seconds: number;
            /**
             * Format: date-time
             * @description When anything of the entry last changed.
             */
            updated_at: string;
            /** @description The flags. */
            verification: {
                /** @description No leg is suspended. */
                active: boolean;
                /** @description Every leg was confirmed within its book's own 95th percentile. */
                fresh: boolean;
                /** @description No two legs are at one operator. */
                independent_operators: boolean;
                /** @description The margin is plausible: verified windows have such margins. */
                plausible_margin: boolean;
                /** @description No leg is an outlier against the other books. */
                plausible_price: boolean;
                /** @description All legs are on one line. */
                same_line: boolean;
                /** @description The books settle the bets by the same rules. */
                same_rules: boolean;
                /** @description The legs' prices were on offer at one moment. */
                simultaneous: boolean;
                /** @description Stakes that can be placed leave a profit. */
                stakeable: boolean;
            };
            /** @description All flags hold. */
            verified: boolean;
            /** @description By what topic of their clauses the legs may be paid otherwise when the match is not played as planned: postponed, moved, starters, abandoned or void; null where their books state the same of all, or do not pay a played match alike. */
            void_clause: string | null;
            /** @description The most of the total stake that is lost then: some legs void, each as its book states (nothing, where it does not), and the others settled in the worst way. 0.5 is half of it. */
            void_loss_max: number | null;
            /** @description What a taker must know. One of: push_possible, half_push_possible, limit_unknown, least_stake_unknown, void_rules_differ; there may be more. */
            warnings: string[];
        };
        /** @description A page of the list. */
        ArbPage: {
            arbs: components["schemas"]["Arb"][];
            /** Format: date-time */
            as_of: string | null;
            next_cursor: string | null;
            polls: components["schemas"]["Poll"][];
            stale: boolean;
        };
        /** @description The prices of the legs of a window at all books. */
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
        /** @description What the holder of an account stakes. */
        Bankroll: {
            /** @description Null: each entry's own. */
            currency: string | null;
            /** @description Stakes are multiples of it. In units of its currency. */
            rounding: number;
            /** @description What all stakes of an arb may be together. In units of its currency. */
            total: number;
        };
        /** @description A page of events with the best price of each bet. */
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
        /** @description The books. */
        BookList: {
            /** Format: date-time */
            as_of: string | null;
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
                     * @description Since when it holds, of a clause the date that its text bears; null of what no table states.
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
                /** @description In seconds. */
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
                     * @description Since when it holds, of a clause the date that its text bears; null of what no table states.
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
                 * @description Since when it holds, of a clause the date that its text bears; null of what no table states.
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
                operator: string;
                /** @description How often the source of its prices is polled; null until two polls of it have come, and of a source that is not polled. In seconds. */
                polled_every_seconds: number | null;
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
                     * @description Since when it holds, of a clause the date that its text bears; null of what no table states.
                     */
                    from: string | null;
                    /** @description The least order; 0 is no bound of its kind. null: not known; one unit of the currency is taken, and of a lay as much at risk. */
                    least: {
                        contracts: number;
                        /** @description What a lay risks. In units of its currency. */
                        liability: number;
                        /** @description Of a back its stake, of a lay the backer's. In units of its currency. */
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
        /** @description A bot. */
        Bot: {
            bot: string;
            records: components["schemas"]["BotRecord"][];
            rule: string;
            version: number;
        };
        /** @description All bots. */
        BotList: {
            bots: {
                bot: string;
                records: components["schemas"]["BotRecordShort"][];
                rule: string;
                version: number;
            }[];
        };
        /** @description The same with all statistics. */
        BotRecord: {
            bets: number;
            calibration: {
                bets: number;
                stated: number;
                won: number;
            }[];
            /** @description A mean of bets. */
            closing_line_value: {
                bets: number;
                mean: number | null;
                standard_error: number | null;
            };
            /** @description Of the closing prices over the same bets. */
            closing_scores: {
                bets: number;
                brier: number | null;
                log: number | null;
            };
            drawdown: number;
            equity: {
                bets: number;
                /** @description The sum less and plus 1.96 standard errors; null below ten match days. */
                interval: number[] | null;
                /** @description The sum of profits, in units. */
                profit: number;
            }[];
            /** @enum {string} */
            feed: "simulated" | "recorded" | "live";
            /** @description 95 % of the mean profit by match day; null below ten match days. */
            interval: number[] | null;
            leagues: {
                bets: number;
                league: string;
                /** @description Mean profit per unit staked. */
                return: number | null;
                standard_error: number | null;
            }[];
            months: {
                bets: number;
                month: string;
                /** @description Mean profit per unit staked. */
                return: number | null;
                standard_error: number | null;
            }[];
            /** @description Whether bets were still on offer after publishing, at their price or a better one. */
            on_offer: {
                /** @description A part of bets. */
                after_minute: {
                    /** @description For which it was observed. */
                    bets: number;
                    /** @description The part of them that was still on offer. */
                    share: number | null;
                    standard_error: number | null;
                };
                /** @description A part of bets. */
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
            /** @description How good probabilities were. */
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
                /** @description Mean profit per unit staked. */
                return: number | null;
                standard_error: number | null;
            };
            version: number;
            without_result: number;
        };
        /** @description What came of the picks of one bot, version and feed. */
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
        /** @description A page of events of the stream. */
        Changes: {
            /** @description Each with its type and its data, as the stream has it. */
            events: Record<string, never>[];
            /** @description There are more already. */
            has_more: boolean;
            /** @description The id to ask with the next time. */
            next: string;
            /** @description Why the client must begin again, with the board; null: it need not. */
            resync: string | null;
        };
        /** @description What somebody signs up or logs in with. */
        Credentials: {
            email: string;
            invitation?: string;
            password: string;
            /** @description The answer to the proof of work that a refusal asks for. */
            proof?: string;
        };
        /** @description An attempt, or what ended before its first one. */
        Delivery: {
            /** @description How the answer began. */
            answer: string;
            /** Format: date-time */
            at: string;
            attempt: number;
            /** Format: date-time */
            event_read_at: string;
            latency_seconds: number;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @enum {string} */
            outcome: "delivered" | "failed" | "given_up" | "expired" | "superseded" | "gone" | "dropped" | "overflowed";
            /** @description The status of the answer. */
            status: number | null;
            subject: string;
            type: string;
            webhook_id: string;
        };
        /** @description A page of the log. */
        DeliveryPage: {
            deliveries: components["schemas"]["Delivery"][];
            next_cursor: string | null;
        };
        /** @description What came of the deliveries of an endpoint. */
        DeliveryStatistics: {
            attempts: number;
            /** @description From the event to the attempt that delivered it. */
            delivered_after_seconds: {
                p50: number;
                p99: number;
            } | null;
            deliveries: number;
            /** @description Of an attempt. */
            latency_seconds: {
                p50: number;
                p99: number;
            } | null;
            /** @description Entries by outcome. */
            outcomes: {
                [key: string]: number;
            };
            /** Format: date-time */
            since: string;
            /** @description Attempts by the status of the answer; none: there was no answer. */
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
            /** @description Whether it had begun, where the record has that. */
            in_play?: boolean;
        };
        /** @description A page of events. */
        EventPage: {
            /** Format: date-time */
            as_of: string | null;
            events: components["schemas"]["ListedEvent"][];
            next_cursor: string | null;
        };
        /** @description An event that is sent, or a delivery that is sent again. */
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
                /** @description In units of its currency. */
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
                /** @description Decimal odds. */
                price: number;
                /** @description What the clauses of its book say of a match that is played, by the topics that matter to the bet: periods extra_time, level refunded; null where no clause says anything. */
                rules: string | null;
                /** @enum {string} */
                side: "back" | "lay";
            }[];
            /** @description The prices of all books on the line. */
            quotes: components["schemas"]["Quote"][];
            /** @description Of the window's latest transition. */
            sequence: number;
            /** @description The moment at which all prices are proven to have been on offer, or how far they are from one. */
            simultaneity: {
                /** Format: date-time */
                earliest_end: string;
                holds: boolean;
                /** Format: date-time */
                latest_start: string;
                /** @description Below 0 where no moment is proven. In seconds. */
                overlap_seconds: number;
            };
        };
        /** @description What to stake on the other legs, and what each way of ending returns. */
        Hedge: {
            currency: string | null;
            id: string;
            legs: {
                book: string;
                /** @description What a lay risks; null of a back. In units of its currency. */
                liability: number | null;
                outcome: string;
                placed: boolean;
                /** @description Decimal odds. */
                price: number;
                /** @enum {string} */
                side: "back" | "lay";
                /** @description Of a lay the backer's stake. In units of its currency. */
                stake: number;
            }[];
            /** @description The worst first. */
            results: {
                legs: string[];
                /** @description In units of its currency. */
                profit: number;
            }[];
            sequence: number;
            /** @description In units of its currency. */
            total_stake: number;
            /** @description In units of its currency. */
            worst_profit: number;
        };
        /** @description Which legs of an arb are placed. */
        HedgeRequest: {
            placed: {
                book: string;
                /**
                 * @description Which of two legs of one book it is.
                 * @enum {string}
                 */
                outcome?: "home" | "draw" | "away" | "over" | "under";
                /** @description Decimal odds. */
                price: number;
                /** @description In units of the currency. */
                stake: number;
            }[];
        };
        /** @description A key as its holder sees it, without anything that is secret. */
        Key: {
            /** @description Addresses and networks from which it may be used; none is all. */
            cidrs: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            kid: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @enum {string} */
            mode: "live" | "test";
            /** @description Requests of a month, at most. */
            monthly_cap: number | null;
            name: string;
            /** @description With what the key begins. */
            prefix: string;
            /** @description The kid of the key in place of it. */
            replaced_by: string | null;
            scopes: string[];
        };
        /** @description The keys of an account. */
        KeyList: {
            keys: components["schemas"]["Key"][];
        };
        /** @description A key to be created. */
        KeyRequest: {
            /** @description Addresses and networks from which it may be used; none is all. */
            cidrs?: string[];
            /** Format: date-time */
            expires_at?: string;
            /** @enum {string} */
            mode?: "live" | "test";
            /** @description Requests of a month, at most. */
            monthly_cap?: number;
            /** @description unnamed unless it is given. */
            name?: string;
            /** @description What it may do. */
            scopes?: ("board:read" | "signals:read" | "picks:read" | "stream:read" | "history:read" | "usage:read" | "scan:write" | "ticks:write" | "events:write" | "results:write" | "results:any" | "webhooks:manage" | "keys:manage")[];
        };
        /** @description What the book of a pick offered on its bet some time after the pick was published. */
        LaterOffer: {
            /**
             * Format: date-time
             * @description When the source confirmed it, or the other prices of the event where there was none.
             */
            last_seen_at: string;
            /** @description At the book of the pick; null where it offered nothing. Decimal odds. */
            price: number | null;
        };
        /** @description One bet of an arb. */
        Leg: {
            /** @description How long ago its price was confirmed. */
            age_seconds: number;
            /** @description Of a scan: its price is of a poll for the scan. */
            asked_now?: boolean;
            /** @description The book. */
            book: string;
            /** @description After fees, as the price of a back; of a lay, per unit of liability. Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            effective_price: number | string;
            /** @description Within which the book confirms 95 of 100 prices. In seconds. */
            expected_interval_seconds: number;
            /** @description 1/effective price. */
            implied_probability: number;
            /**
             * Format: date-time
             * @description When the source last confirmed it.
             */
            last_seen_at: string;
            /** @description What a lay risks for it. In units of its currency. */
            liability: number | null;
            /** @description The most that the book takes at this price: of a lay the backer's stake. null: not stated. In units of its currency. */
            limit: number | null;
            /** @description Where the bet can be placed, an address of http or https, of the source or of the table of books; null: not known. */
            link: string | null;
            /** @description The operator of the book. */
            operator: string;
            /**
             * @description What is bet on.
             * @enum {string}
             */
            outcome: "home" | "draw" | "away" | "over" | "under";
            /** @description At what price. Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
            price: number | string;
            /**
             * Format: date-time
             * @description When the price last changed.
             */
            price_moved_at: string;
            /** @description effective_price is of the worst price in the book's own form that is written as price. */
            rounded: boolean;
            /**
             * @description For it, or against it.
             * @enum {string}
             */
            side: "back" | "lay";
            /** @description To ask of the book, for the default total or less: of a lay the backer's stake. In units of its currency. */
            stake: number | null;
            /** @description Share of the total stake; of a lay, of its liability. */
            stake_share: number;
        };
        /** @description An event of which there are prices. */
        ListedEvent: {
            arbs: number;
            away: string;
            books: number;
            /** Format: date-time */
            commence_time: string;
            /** @description The group that a scan names: the league and the UTC date of the start. */
            group: string;
            home: string;
            id: string;
            in_play: boolean;
            /** Format: date-time */
            last_seen_at: string;
            league: string;
            /** @description Its markets, each with its period. */
            markets: string[];
            sport: string;
        };
        Names: string[];
        /** @description An account that was created. */
        NewAccount: {
            email: string;
            plan: string;
        };
        /** @description A key that was created. */
        NewKey: {
            /** @description Addresses and networks from which it may be used; none is all. */
            cidrs: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** @description Shown in this answer and never again. */
            key: string;
            kid: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** @enum {string} */
            mode: "live" | "test";
            /** @description Requests of a month, at most. */
            monthly_cap: number | null;
            name: string;
            /** @description With what the key begins. */
            prefix: string;
            /** @description The kid of the key in place of it. */
            replaced_by: string | null;
            scopes: string[];
        };
        /** @description The odds of an event. */
        Odds: {
            /** Format: date-time */
            as_of: string | null;
            event: components["schemas"]["ListedEvent"];
            lines: components["schemas"]["OddsLine"][];
        };
        /** @description The prices of a line of an event at all books over time. */
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
            /** @description In points or goals; of a spread the home side's handicap. */
            line: number | null;
            market: string;
            period: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
        };
        /** @description The quotes of one line of a market. */
        OddsLine: {
            /** @description In points or goals; of a spread the home side's handicap. */
            line: number | null;
            market: string;
            period: string;
            quotes: components["schemas"]["Quote"][];
        };
        /** @description How a secret is replaced. */
        OverlapRequest: {
            /** @description How long both secrets sign. */
            overlap_seconds?: number;
        };
        /** @description Another password. */
        PasswordChange: {
            current_password: string;
            new_password: string;
        };
        /** @description A bet that a bot published before its event, and what became of it: one of a bot, a version, a feed, an event and a market. */
        Pick: {
            /** @description A book that had the price on offer. */
            book: string;
            /** @description The bot. */
            bot: string;
            /** @description The last known price before the start. */
            closing: {
                /**
                 * Format: date-time
                 * @description When the source last confirmed what it is computed from.
                 */
                last_seen_at: string;
                /** @description At the book of the pick; null where it had no price then. Decimal odds. */
                price: number | null;
                /** @description What books agreed on, without their margin, 0 to 1. */
                probability: number;
            } | null;
            closing_line_value: number | null;
            /** @description What refuted the pick after it was published: its price was an error of its book, or its result was withdrawn. Null where nothing does. */
            disputed: {
                /** @description book_error or result_withdrawn; there may be more. */
                reason: string;
                text: string;
            } | null;
            /** @description A draw refunds the stake: the market has two outcomes. */
            draw_refunds: boolean;
            /** @description The event, with the start that was announced when the pick was published. */
            event: components["schemas"]["Event"];
            /**
             * @description The kind of feed.
             * @enum {string}
             */
            feed: "simulated" | "recorded" | "live";
            /** @description Every grading, the first one first; the last one counts. */
            grades: components["schemas"]["PickGrade"][];
            /** @description Made of the bot, the version, the feed, the event and the market: the same whenever it is published. */
            id: string;
            league: string;
            /** @description Line. In points or goals; of a spread the home side's handicap. */
            line: number | null;
            /**
             * @description Market family.
             * @enum {string}
             */
            market: "h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals";
            /** @description How the bot came to the probability. */
            method: string;
            /** @description The same one to two minutes after it was published. */
            offer_after_minute: null | components["schemas"]["LaterOffer"];
            /** @description The offer of its book at the first poll after it was published; null where none was observed, as of every simulated one. */
            offer_after_poll: null | components["schemas"]["LaterOffer"];
            /**
             * @description What is backed.
             * @enum {string}
             */
            outcome: "home" | "draw" | "away" | "over" | "under";
            /** @description Period of the market. One of: full_time, h1, h2, q1, q2, q3, q4, p1, p2, p3; there may be more. */
            period: string;
            /** @description Its price. Decimal odds. */
            price: number;
            /** @description The probability that the bot took for fair, 0 to 1. */
            probability: number;
            /**
             * Format: date-time
             * @description When it was published.
             */
            published_at: string;
            /** @description Why, in words. */
            reasons: string[];
            /** @description The last grading; null of a pick that waits for a result. */
            result: null | components["schemas"]["PickGrade"];
            sport: string;
            /** @description A fraction of the bank. */
            stake: number;
            /**
             * Format: date-time
             * @description The newest known start: a postponed event has another one than announced.
             */
            starts_at: string;
            /** @description The version of its rule. */
            version: number;
        };
        /** @description A grading. A correction is another one, never a change. */
        PickGrade: {
            /**
             * Format: date-time
             * @description When it was reported.
             */
            at: string;
            /** @description Of the away side. */
            away: number | null;
            /** @description Points of the home side in the period; null where the bet was decided without them. */
            home: number | null;
            /** @description Per unit staked. */
            profit: number;
            /**
             * @description won, half_won, push, half_lost, lost or void; open where a result was withdrawn; no_result where none came.
             * @enum {string}
             */
            settlement: "won" | "half_won" | "push" | "half_lost" | "lost" | "void" | "open" | "no_result";
            /** @description Who reported the result; empty where none came. */
            source: string;
            /** @description The number of the grading, from 1: a correction is another one. */
            version: number;
        };
        /** @description A page of picks. */
        PickPage: {
            /** Format: date-time */
            as_of: string | null;
            next_cursor: string | null;
            picks: components["schemas"]["Pick"][];
        };
        /** @description The last poll of a source that every partition contains. */
        Poll: {
            /** Format: date-time */
            polled_at: string;
            source: string;
        };
        /** @description The prices of a bet at a book over time. */
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
            /** @description What is wrong with each line of a push. */
            errors?: {
                /** @description Null of a line that is no JSON object. */
                field: string | null;
                /** @description From 1. */
                line: number;
                reason: string;
            }[];
            /** @description The parameter or the field that is wrong. */
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
        /** @description What was dead-lettered of the caller's updates. */
        PushLetters: {
            dead_letters: {
                /** Format: date-time */
                dead_lettered_at: string;
                /** @description Why, in words. */
                error: string;
                /** @description The event's id. */
                event: string;
                /** @description docs/api/ticks.md says what each means. */
                reason: string;
                /**
                 * Format: int64
                 * @description The number of the update.
                 */
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
            /** @description In units of its currency. */
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
        /** @description How versions of one subject may differ. */
        RegistryConfig: {
            compatibilityLevel: string;
        };
        /** @description An error as RFC 9457 has it; where it is the registry's own, with what its clients read. */
        RegistryError: {
            /** @description What is wrong with this request. */
            detail: string;
            /** @description The registry's code, such as 40401. */
            error_code?: number;
            /** @description As detail. */
            message?: string;
            status: number;
            title: string;
            /** @description A path of this API that explains the error. */
            type: string;
        };
        /** @description Whether schemas are taken in. */
        RegistryMode: {
            mode: string;
        };
        /** @description A schema. */
        RegistrySchema: {
            /** @description What it refers to by name, where it does. */
            references?: {
                name: string;
                subject: string;
                version: number;
            }[];
            /** @description The schema as text. */
            schema: string;
        };
        RegistryUses: {
            subject: string;
            version: number;
        }[];
        /** @description A version of a subject. */
        RegistryVersion: {
            id: number;
            /** @description What it refers to by name, where it does. */
            references?: {
                name: string;
                subject: string;
                version: number;
            }[];
            /** @description The schema as text. */
            schema: string;
            subject: string;
            version: number;
        };
        /** @description The result of an event. */
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
        /** @description A result that was taken. */
        ResultTaken: {
            event: string;
            /**
             * Format: date-time
             * @description When it is graded by; null: at once.
             */
            graded_from: string | null;
            status: string;
        };
        /** @description A key to be created in place of another one. */
        Rotation: {
            /** @description How long the other one is valid. */
            grace_seconds?: number;
        };
        /** @description A scan and what is known of it. */
        Scan: {
            /** @description The best first. */
            arbs: {
                /** @description Of all stakes, ISO 4217; null when a leg's is not known. */
                currency: string | null;
                /** @description The event. */
                event: components["schemas"]["Event"];
                /** @description The probability that the window stays open long enough to be placed. */
                execution_probability: number;
                /** Format: date-time */
                expires_at: string;
                /** @description Why a flag does not hold, one for each. */
                failed_checks: {
                    /** @description The flag. One of: simultaneous, fresh, active, same_line, same_rules, independent_operators, plausible_price, plausible_margin, stakeable; there may be more. */
                    flag: string;
                    /** @description One sentence, for a person. */
                    reason: string;
                }[];
                /** @description Window id, one from open to close; the key of the record. */
                id: string;
                /** @description S, the sum of 1/effective price over the legs. */
                implied_probability: number;
                /** @description What kind of window it is. One of: surebet; there may be more. */
                kind: string;
                league: string;
                /** @description The bets, in the order of the outcome set. */
                legs: components["schemas"]["Leg"][];
                /** @description Line. In points or goals; of a spread the home side's handicap. */
                line: number | null;
                /** @description 1/S - 1, the return on the total stake: 0.02 is 2 %. */
                margin: number;
                /** @description Least return of the legs' stakes, without pushes; null when none can be placed. */
                margin_rounded: number | null;
                /** @description Least return over settlement states. */
                margin_worst: number;
                /**
                 * @description Market family.
                 * @enum {string}
                 */
                market: "h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals";
                /**
                 * Format: date-time
                 * @description When the window opened.
                 */
                opened_at: string;
                /** @description A cheaper cover that is not eligible, which the legs were chosen over; null: there is none. */
                passed_over: {
                    /** @description The first reason why it is not eligible. */
                    failed_check: {
                        /** @description The flag. One of: simultaneous, fresh, active, same_line, same_rules, independent_operators, plausible_price, plausible_margin, stakeable; there may be more. */
                        flag: string;
                        /** @description One sentence, for a person. */
                        reason: string;
                    };
                    /** @description Its bets, in the order of the outcome set. */
                    legs: {
                        /** @description The book. */
                        book: string;
                        /**
                         * @description What is bet on.
                         * @enum {string}
                         */
                        outcome: "home" | "draw" | "away" | "over" | "under";
                        /** @description At what price. Decimal odds, or as odds_format asks: American odds, or a fraction as text. */
                        price: number | string;
                        /**
                         * @description For it, or against it.
                         * @enum {string}
                         */
                        side: "back" | "lay";
                    }[];
                    /** @description 1/S - 1 by its effective prices. */
                    margin: number;
                } | null;
                /** @description Period of the market. One of: full_time, h1, h2, q1, q2, q3, q4, p1, p2, p3; there may be more. */
                period: string;
                /** @description Its place on the whole board, from 1. */
                rank?: number;
                /** @description What the rank is made of, beside the verification: the rounded margin times the probability of execution. */
                score: number;
                /** @description Of the last transition; grows within a partition. */
                sequence: number;
                sport: string;
                /** @description For which the stakes are, where the request has one. In units of its currency. */
                total_stake?: number;
                /** @description The largest total stake within limits; null when no limit is known. In units of its currency. */
                total_stake_max: number | null;
                ttl_p10_seconds: number;
                ttl_p90_seconds: number;
                ttl_seconds: number;
                /**
                 * Format: date-time
                 * @description When anything of the entry last changed.
                 */
                updated_at: string;
                /** @description The flags. */
                verification: {
                    /** @description No leg is suspended. */
                    active: boolean;
                    /** @description Every leg was confirmed within its book's own 95th percentile. */
                    fresh: boolean;
                    /** @description No two legs are at one operator. */
                    independent_operators: boolean;
                    /** @description The margin is plausible: verified windows have such margins. */
                    plausible_margin: boolean;
                    /** @description No leg is an outlier against the other books. */
                    plausible_price: boolean;
                    /** @description All legs are on one line. */
                    same_line: boolean;
                    /** @description The books settle the bets by the same rules. */
                    same_rules: boolean;
                    /** @description The legs' prices were on offer at one moment. */
                    simultaneous: boolean;
                    /** @description Stakes that can be placed leave a profit. */
                    stakeable: boolean;
                };
                /** @description All flags hold. */
                verified: boolean;
                /** @description By what topic of their clauses the legs may be paid otherwise when the match is not played as planned: postponed, moved, starters, abandoned or void; null where their books state the same of all, or do not pay a played match alike. */
                void_clause: string | null;
                /** @description The most of the total stake that is lost then: some legs void, each as its book states (nothing, where it does not), and the others settled in the worst way. 0.5 is half of it. */
                void_loss_max: number | null;
                /** @description What a taker must know. One of: push_possible, half_push_possible, limit_unknown, least_stake_unknown, void_rules_differ; there may be more. */
                warnings: string[];
            }[];
            /** @description Arbs for which there was no room. */
            arbs_left_out: number;
            /** Format: date-time */
            as_of: string | null;
            books: {
                answered: boolean;
                /** @description Of a poll for this scan. */
                asked_now: number;
                book: string;
                /** @description Confirmed by their books since the request. */
                confirmed_after_request: number;
                on_offer: number;
                reason: string | null;
            }[];
            complete: boolean;
            estimated_credits: number;
            events: number;
            id: string;
            leagues: {
                answered: boolean;
                /** @description Of a poll for this scan. */
                asked_now: number;
                /** @description Confirmed by their books since the request. */
                confirmed_after_request: number;
                league: string;
                on_offer: number;
                reason: string | null;
            }[];
            /** @description Of all partitions those that have answered. */
            partitions: {
                answered: number;
                of: number;
            };
            /** @description Quotes of what is scanned. */
            quotes: {
                /** @description Of a poll for this scan. */
                asked_now: number;
                /** @description Confirmed by their books since the request. */
                confirmed_after_request: number;
                on_offer: number;
            };
            request: components["schemas"]["ScanScope"];
            /** Format: date-time */
            requested_at: string;
            sources: {
                answered: boolean;
                /** @description Of a poll for this scan. */
                asked_now: number;
                /** @description Confirmed by their books since the request. */
                confirmed_after_request: number;
                estimated_credits: number;
                on_offer: number;
                outcome: string;
                /** Format: date-time */
                polled_at: string | null;
                reason: string | null;
                source: string;
            }[];
            /** @enum {string} */
            status: "pending" | "complete" | "partial";
            /** @description What is probably a mistake of the request, or of a source. */
            warnings: string[];
        };
        /** @description At least one of sport, league, event_ids and event_group. */
        ScanRequest: {
            /** @description The only books whose prices count. */
            books?: string[];
            /** @description A league and a date, such as soccer_epl/2026-11-23. */
            event_group?: string;
            event_ids?: string[];
            league?: string;
            markets?: ("h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals")[];
            /** @description The least margin, a fraction: 0.015 is 1.5 %. */
            min_margin?: number;
            sport?: string;
            /** @description The total that stakes are for. */
            total_stake?: number;
            /** @description How long to wait for the whole answer. */
            wait_seconds?: number;
        };
        /** @description What was asked for. */
        ScanScope: {
            books: string[];
            event_group: string | null;
            event_ids: string[];
            league: string | null;
            markets: string[];
            min_margin: number;
            min_margin_percent: number;
            sport: string | null;
            /** @description In units of its currency. */
            total_stake: number | null;
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
        /** @description The scores of events in play. */
        ScoreList: {
            /** Format: date-time */
            as_of: string | null;
            scores: components["schemas"]["Score"][];
        };
        /** @description Who is signed in. */
        Session: {
            /** @description Null where none was set. */
            bankroll: null | components["schemas"]["Bankroll"];
            /** @description For the header X-CSRF-Token of whatever changes something. */
            csrf_token: string;
            email: string;
            /** Format: date-time */
            expires_at: string;
            plan: string;
        };
        /** @description An open edge signal as it is now: what to take, how much it is worth, how sure that is, and the quotes that are the evidence. */
        Signal: {
            /** @description What to take. */
            bets: components["schemas"]["SignalQuote"][];
            /** @description 0 to 1: of value the share of opinions, each a book's by one method, that expect a profit; of steam and stale_price the share of operators that moved; of odds_drop the share of prices that are past half the way; of middle and low_hold the share of pairs of bets that are proven to have been on offer at one moment. */
            confidence: number;
            /** @description The event. */
            event: components["schemas"]["Event"];
            /** @description The evidence for it; nothing of a signal that closes. */
            evidence: components["schemas"]["SignalQuote"][];
            /**
             * Format: date-time
             * @description When it closes, unless it closes before or is confirmed.
             */
            expires_at: string;
            /** @description Of value and stale_price: the fair chance of the outcome by each method of devig, the most cautious first, which is that of strength. */
            fair: {
                /** @description The devig method. One of: multiplicative, additive, power, shin, odds_ratio; there may be more. */
                method: string;
                /** @description Of the outcome. */
                probability: number;
            }[];
            /** @description One from open to close. */
            id: string;
            /** @description Of value and stale_price: a quarter of the Kelly fraction of the bank. */
            kelly: number | null;
            /**
             * @description Its kind.
             * @enum {string}
             */
            kind: "value" | "low_hold" | "middle" | "steam" | "stale_price" | "odds_drop";
            league: string;
            /** @description Line; of a middle the first bet's. In points or goals; of a spread the home side's handicap. */
            line: number | null;
            /**
             * @description Market family.
             * @enum {string}
             */
            market: "h2h" | "h2h_3_way" | "draw_no_bet" | "spreads" | "totals";
            /**
             * Format: date-time
             * @description When it opened.
             */
            opened_at: string;
            /**
             * @description What is bet on; null of bets on several outcomes.
             * @enum {string|null}
             */
            outcome: "home" | "draw" | "away" | "over" | "under" | null;
            /** @description Period of the market. One of: full_time, h1, h2, q1, q2, q3, q4, p1, p2, p3; there may be more. */
            period: string;
            /** @description Of its last transition on the feed. */
            sequence: number;
            sport: string;
            /** @description A fraction: of value and stale_price the expected return, of steam and odds_drop the rise of the implied probability, of middle and low_hold the return on the total stake where exactly one bet wins. */
            strength: number;
            /**
             * Format: date-time
             * @description When anything of it last changed.
             */
            updated_at: string;
        };
        /** @description A page of the list. */
        SignalPage: {
            /** Format: date-time */
            as_of: string | null;
            next_cursor: string | null;
            polls: components["schemas"]["Poll"][];
            signals: components["schemas"]["Signal"][];
            stale: boolean;
        };
        /** @description A quote of a signal. */
        SignalQuote: {
            /** @description How long ago it was confirmed. */
            age_seconds: number;
            /** @description The book. */
            book: string;
            /** @description After fees, as the price of a back. Decimal odds. */
            effective_price: number;
            /**
             * Format: date-time
             * @description When the source last confirmed it.
             */
            last_seen_at: string;
            /** @description Line. In points or goals; of a spread the home side's handicap. */
            line: number | null;
            /** @description The operator of the book. */
            operator: string;
            /**
             * @description What is bet on.
             * @enum {string}
             */
            outcome: "home" | "draw" | "away" | "over" | "under";
            /** @description At what price. Decimal odds. */
            price: number;
            /** @description Of a leader or follower: at the start of the move. Decimal odds. */
            price_from: number | null;
            /**
             * Format: date-time
             * @description When the price last changed.
             */
            price_moved_at: string;
            /** @description What it is to the signal. One of: bet, source, leader, follower, other; there may be more. */
            role: string;
            /**
             * @description For it, or against it.
             * @enum {string}
             */
            side: "back" | "lay";
        };
        /** @description What is delivered again. */
        Since: {
            /** Format: date-time */
            since: string;
        };
        /** @description The sports of the market. */
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
        /** @description The state of the service. */
        Status: {
            arbs: number;
            /** Format: date-time */
            as_of: string | null;
            is_computing_own_books: boolean;
            /** @description By role, how many records of Kafka its consumer groups have not read yet, some seconds ago. A role whose group is not known is left out; so are all roles in the first answer after a while without questions. */
            lag_records: {
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
            /** @description The event's id, as the board has it, or what it is. */
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
        /** @description The lines of a push as one document. */
        TickLines: {
            lines: components["schemas"]["TickLine"][];
        };
        /** @description A ticket, by which a page opens a stream. */
        Ticket: {
            /**
             * Format: date-time
             * @description 60 s from now: until then the first connection must come.
             */
            expires_at: string;
            /** @description The filters as a query, to which the ticket is bound. */
            query: string;
            /** @description The value of the parameter ticket of the stream. It is spent by its first connection. */
            ticket: string;
        };
        /** @description For which page a stream is opened. */
        TicketRequest: {
            /** @description The filters of the stream, as texts. The page must ask for the stream with the same. */
            filters?: {
                [key: string]: string;
            };
            /** @description The origin of the page, one of those that the server allows (--cors-origins). */
            origin: string;
        };
        /** @description What became of a push. */
        Ticks: {
            /** @description Lines that are in Kafka. */
            accepted: number;
            errors: {
                /** @description Null of a line that is no JSON object. */
                field: string | null;
                /** @description From 1. */
                line: number;
                reason: string;
            }[];
            rejected: number;
            /** @description In so many updates. */
            updates: number;
        };
        /** @description A transition of a window. */
        Transition: {
            /** Format: date-time */
            at: string;
            change: string;
            legs: {
                book: string;
                outcome: string;
                /** @description Decimal odds. */
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
        /** @description How much of what the running feed showed was real. */
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
            /** @description Null, as the three after it, while there is no feed. */
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
        /** @description What the account has used of its plan this month. */
        Usage: {
            /** @description What was spent before the plan was made smaller, above its quota now. */
            beyond_quota: number;
            /** @description Requests by day. */
            days: {
                [key: string]: number;
            };
            /** @description Of instances that ended without giving the rest of their leases back. */
            forfeited: number;
            /** @description Requests by the kid of a key. */
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
            /** @description Requests by route. */
            routes: {
                [key: string]: number;
            };
            used: number;
        };
        Versions: number[];
        /** @description An endpoint as its holder sees it. */
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
            /** @description An event of a window waits for the one before it. */
            ordered: boolean;
            paused: boolean;
            /** @enum {string} */
            policy: "live" | "durable";
            /**
             * Format: date-time
             * @description Until then the secret before this one signs too.
             */
            previous_secret_until: string | null;
            /** @description Requests a second, at most; null: no limit of its own. */
            rate_limit: number | null;
            /** @description Why it is disabled. */
            reason: string | null;
            /** @description When it is created, and nowhere else. */
            secret?: string;
            /** @enum {string} */
            state: "unverified" | "active" | "disabled";
            url: string;
        };
        /** @description An endpoint; where it is changed, the fields that are given. */
        WebhookChange: {
            description?: string;
            /** @description Types of events; all unless they are given. */
            events?: string[];
            /** @description Of the events, as parameters of a stream. */
            filters?: {
                [key: string]: string | number | boolean;
            };
            /** @description An event of a window waits for the one before it. */
            ordered?: boolean;
            /** @description It receives nothing for now. */
            paused?: boolean;
            /** @enum {string} */
            policy?: "live" | "durable";
            /** @description Requests a second, at most; null: no limit of its own. */
            rate_limit?: number | null;
            url?: string;
        };
        /** @description The endpoints of an account. */
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        /** @description An endpoint; where it is changed, the fields that are given. */
        WebhookRequest: {
            description?: string;
            /** @description Types of events; all unless they are given. */
            events?: string[];
            /** @description Of the events, as parameters of a stream. */
            filters?: {
                [key: string]: string | number | boolean;
            };
            /** @description An event of a window waits for the one before it. */
            ordered?: boolean;
            /** @description It receives nothing for now. */
            paused?: boolean;
            /** @enum {string} */
            policy?: "live" | "durable";
            /** @description Requests a second, at most; null: no limit of its own. */
            rate_limit?: number | null;
            url: string;
        };
        /** @description A window from opening to close. */
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
            /** @description The feed that it was a window of. */
            feed: string;
            id: string;
            in_play: boolean | null;
            kind: string | null;
            league: string;
            /** @description As it opened. */
            legs: {
                book: string;
                outcome: string;
                /** @description Decimal odds. */
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
            /** @description Why it closed. */
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
        /** @description A grading of a window by the result of its event: what its legs paid, all placed as it opened. */
        WindowGrade: {
            /**
             * Format: date-time
             * @description When it was reported.
             */
            at: string;
            /** @description Of the away side. */
            away: number | null;
            /** @description Points of the home side in the period; null where the bets were decided without them. */
            home: number | null;
            /** @description What each leg paid, in the order of the legs; empty unless it is settled. */
            legs: {
                /** @description A part of the total stake. */
                returned: number;
                /**
                 * @description won, half_won, push, half_lost, lost or void, for the one who placed it: a lay of what lost is won.
                 * @enum {string}
                 */
                settlement: "won" | "half_won" | "push" | "half_lost" | "lost" | "void";
            }[];
            /** @description Per unit of the total stake; null unless it is settled. */
            profit: number | null;
            /** @description What all legs returned together, per unit of the total stake; null unless it is settled. */
            returned: number | null;
            /** @description Who reported the result. */
            source: string;
            /**
             * @description Whether it is settled; open where the result was withdrawn.
             * @enum {string}
             */
            state: "settled" | "open";
            /** @description The number of the grading, from 1: a correction is another one. */
            version: number;
        };
        /** @description One window, as the board has it while it is open, and from its opening on as it was stored. */
        WindowHistory: {
            evidence: null | components["schemas"]["Evidence"];
            /** @description All of them in their order, the last of which counts. */
            gradings: components["schemas"]["WindowGrade"][];
            open: null | components["schemas"]["Arb"];
            transitions: components["schemas"]["Transition"][];
            window: null | components["schemas"]["Window"];
        };
        /** @description A page of windows. */
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
            /** @description Of the away side. */
            away: number | null;
            /** @description Points of the home side in the period; null where the bets were decided without them. */
            home: number | null;
            /** @description What each leg paid, in the order of the legs. */
            legs: {
                /** @description A part of the total stake. */
                returned: number;
                /**
                 * @description won, half_won, push, half_lost, lost or void, for the one who placed it: a lay of what lost is won.
                 * @enum {string}
                 */
                settlement: "won" | "half_won" | "push" | "half_lost" | "lost" | "void";
            }[];
            /** @description Per unit of the total stake. */
            profit: number;
            /** @description What all legs returned together, per unit of the total stake. */
            returned: number;
            /** @description Who reported the result. */
            source: string;
            /**
             * @description A window whose result was withdrawn has none of this.
             * @enum {string}
             */
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
