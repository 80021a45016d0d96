#!/usr/bin/env bash
# Checks the chart as Kubernetes would read it, without a cluster: lint, templates with each file of values, and the schemas of Kubernetes.
#
#   deploy/helm/check.sh
#
# Kinds of Strimzi and KEDA are compared with the definitions that these publish, as npm has them (deploy/helm/kinds). Needs helm, kubectl-validate, node and npm.
set -euo pipefail
here=$(realpath -e "$(dirname "$0")")
kubernetes=1.30
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# npm's packages, kept between runs.
kinds=${XDG_CACHE_HOME:-$HOME/.cache}/arb-tools/kinds
mkdir -p "$kinds"
cp "$here"/kinds/* "$kinds"
cmp -s "$kinds/package-lock.json" "$kinds/installed" || {
    (cd "$kinds" && npm ci --ignore-scripts --no-audit --no-fund --silent)
    cp "$kinds/package-lock.json" "$kinds/installed"
}

fail() { printf 'helm/check: %s\n' "$*" >&2; exit 1; }
render() { helm template arb "$here/arb" --kube-version "$kubernetes.0" "$@"; }

for values in "$here"/values/*.yaml; do
    name=$(basename "$values" .yaml)
    helm lint --strict --kube-version "$kubernetes.0" --values "$values" "$here/arb" >"$folder/lint" || { cat "$folder/lint" >&2; fail "$name"; }
    render --values "$values" >"$folder/$name.all"
    awk -v RS='\n?---\n' '!/apiVersion: (kafka.strimzi.io|keda.sh)\// && /[^[:space:]]/ { print "---"; print }' "$folder/$name.all" >"$folder/$name.yaml"
    kubectl-validate --version "$kubernetes" "$folder/$name.yaml" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; fail "$name"; }
    node "$kinds/check.mjs" "$folder/$name.all" || fail "$name"
    printf '%s: %s objects, %s of them of Kubernetes itself\n' "$name" "$(grep -c '^kind: ' "$folder/$name.all")" "$(grep -c '^kind: ' "$folder/$name.yaml")"
done

# What must be refused is.
render >"$folder/said" 2>&1 && fail "no Kafka is named, and nothing says so"
grep -q 'set kafka.brokers' "$folder/said" || { cat "$folder/said" >&2; fail "no Kafka is named"; }
render --values "$here/values/minimal.yaml" --set kafka.securityProtocol=tls >"$folder/said" 2>&1 && fail "a protocol that there is not is accepted"
render --values "$here/values/minimal.yaml" --set roles.process.replica=3 >"$folder/said" 2>&1 && fail "a value that there is not is accepted"
sed 's/patternType: prefix/patternType: begin/' "$folder/three-brokers.all" >"$folder/wrong"
node "$kinds/check.mjs" "$folder/wrong" >"$folder/said" 2>&1 && fail "a pattern that Strimzi does not have is accepted"
sed 's/topicName:/topic:/' "$folder/three-brokers.all" >"$folder/wrong"
node "$kinds/check.mjs" "$folder/wrong" >"$folder/said" 2>&1 && fail "a field that Strimzi does not have is accepted"
printf 'the chart is valid\n'
