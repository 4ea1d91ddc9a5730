#!/bin/sh
# Builds kubeconform, which validates manifests against Kubernetes' schemas, from its Go module, and fetches the
# schemas: those published by Kubernetes, from the PyPI package kubernetes-validate, and the Prometheus operator's
# resource definitions, from the operator's Go module.
#
# usage: build_kubeconform.sh DIR     creates DIR/kubeconform and DIR/kubernetes-schemas, unless they are up
#                                     to date
#
# Needs Go, a module proxy, Python with pip, and a package index.
set -eu

version=0.8.0
schemas=1.37.0
# The oldest release that the chart supports, and the newest one in the package.
releases='v1.27.0 v1.37.0'
operator=0.85.0

fail() {
  printf 'build_kubeconform: %s\n' "$*" >&2
  exit 1
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ $# = 1 ] || fail "usage: build_kubeconform.sh DIR"
mkdir -p "$1"
folder=$(CDPATH='' cd -- "$1" && pwd)

stamp="kubeconform $version, schemas $schemas ($releases), operator $operator"
[ "$(cat "$folder/kubernetes-schemas/VERSION" 2>/dev/null)" != "$stamp" ] || [ ! -x "$folder/kubeconform" ] || exit 0

command -v go >/dev/null || fail "needs Go: see https://go.dev/dl."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "build_kubeconform: building kubeconform $version"
GOBIN=$folder CGO_ENABLED=0 go install -p 2 -trimpath -ldflags "-s -w -X main.version=v$version" \
  "github.com/yannh/kubeconform/cmd/kubeconform@v$version" ||
  fail "go could not build it: see above; it needs a module proxy (GOPROXY)."

echo "build_kubeconform: fetching Kubernetes' schemas"
python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" download -q --no-deps --disable-pip-version-check -d "$scratch" \
  "kubernetes-validate==$schemas" || fail "could not download kubernetes-validate $schemas: see above."
python3 -m zipfile -e "$scratch"/kubernetes_validate-*.whl "$scratch/wheel"

echo "build_kubeconform: fetching the Prometheus operator's resource definitions"
(cd "$scratch" && go mod download -json "github.com/prometheus-operator/prometheus-operator@v$operator" >module.json) ||
  fail "could not download the Prometheus operator's module: see above."
module=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["Dir"])' <"$scratch/module.json")
# shellcheck disable=SC2086  # a list of words
python3 "$here/kubernetes_schemas.py" "$scratch/wheel" "$module/jsonnet/prometheus-operator/servicemonitors-crd.json" \
  "$scratch/schemas" $releases || fail "the schemas are not as expected: see above."

rm -rf "$folder/kubernetes-schemas"
mv "$scratch/schemas" "$folder/kubernetes-schemas"
printf '%s\n' "$stamp" >"$folder/kubernetes-schemas/VERSION"
