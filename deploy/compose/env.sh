#!/usr/bin/env bash
# Writes .env beside compose.yaml, once: passwords that nobody else has, and the addresses of Kafka.
#
#   deploy/compose/env.sh           one broker
#   deploy/compose/env.sh --three   three, of which one may fail
#
# It never replaces a file: the passwords are those of the volumes that exist.
set -euo pipefail
umask 077
file=$(dirname "$0")/.env

[ ! -e "$file" ] || { printf 'env: %s is there already; remove it, and the volumes with it, to begin anew\n' "$file" >&2; exit 1; }
case ${1-} in
    '') profile=one brokers=kafka:9092 ;;
    --three) profile=three brokers=kafka-1:9092,kafka-2:9092,kafka-3:9092 ;;
    *) printf 'usage: deploy/compose/env.sh [--three]\n' >&2; exit 1 ;;
esac

password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

{
    printf 'COMPOSE_PROFILES=%s\nARB_BROKERS=%s\n' "$profile" "$brokers"
    for name in CLICKHOUSE_ADMIN CLICKHOUSE_MIGRATOR CLICKHOUSE_WRITER CLICKHOUSE_READER CLICKHOUSE_ANALYST GRAFANA; do
        printf '%s_PASSWORD=%s\n' "$name" "$(password)"
    done
} >"$file"
printf 'wrote %s\n' "$file"
