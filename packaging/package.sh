#!/bin/sh
# Builds what people install, from programs that are built already.
#
# usage: package.sh BUILD OUTPUT [PART ...]     PART is deb, tarball, wheel, client, image or chart; all by default
#
# BUILD is the folder of the preset `release`, with lockstep (for deb) and lockstep-portable (for tarball, wheel
# and image). OUTPUT gets the artefacts, a bill of materials beside each, and SHA256SUMS.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=${here%/*}

fail() {
  printf 'package: %s\n' "$*" >&2
  exit 1
}

[ $# -ge 2 ] || fail "usage: package.sh BUILD OUTPUT [PART ...]"
mkdir -p "$2"
build=$(CDPATH='' cd -- "$1" && pwd)
output=$(CDPATH='' cd -- "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- deb tarball wheel client image chart

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1 TZ=UTC LC_ALL=C.UTF-8
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A Python of its own, with pinned tools.
python=$root/build/tools/packaging/bin/python3
tools() {
  stamp=${python%/bin/*}/requirements.txt
  cmp -s "$here/requirements.txt" "$stamp" || {
    python3 -m venv --clear "${python%/bin/*}" &&
      "$python" -m pip install -q --disable-pip-version-check -r "$here/requirements.txt" &&
      cp "$here/requirements.txt" "$stamp"
  } || fail "could not install packaging/requirements.txt: check the network, then run this again."
}

licences() {
  [ -e "$build/lockstep-portable" ] || fail "$build/lockstep-portable is missing: see packaging/README.md."
  # Those of the web page's parts come with them.
  [ -d "$root/web/node_modules" ] || (cd "$root/web" && npm ci --no-audit --no-fund >/dev/null) ||
    fail "could not install the parts of the web page: check the network, then run this again."
  [ -d "$scratch/licences" ] || python3 "$here/bill.py" licences --build "$build" --output "$scratch/licences" ||
    fail "could not collect the licences: see above."
}

artefacts=
for part in "$@"; do
  case $part in
    deb) made=$(python3 "$here/build_deb.py" --program "$build/lockstep" --output "$output") ;;
    tarball | wheel)
      licences
      made=$(python3 "$here/build_$part.py" --program "$build/lockstep-portable" \
        --licences "$scratch/licences" --output "$output")
      ;;
    client)
      tools
      made=$("$python" "$here/build_client.py" --output "$output")
      ;;
    image)
      licences
      version=$(cd "$here" && python3 -c 'import release; print(release.version())')
      made=$(python3 "$here/image/build_image.py" server --program "$build/lockstep-portable" \
        --licences "$scratch/licences" --out "$output/lockstep-$version-linux-amd64.oci.tar" &&
        python3 "$here/image/build_image.py" agent --out "$output/lockstep-agent-$version-linux-amd64.oci.tar")
      ;;
    chart) made=$(python3 "$here/build_chart.py" --output "$output") ;;
    *) fail "PART is deb, tarball, wheel, client, image or chart, not '$part'." ;;
  esac || fail "could not build the part '$part'."
  artefacts="$artefacts $made"
done
# shellcheck disable=SC2086  # a list of files
python3 "$here/bill.py" sbom --build "$build" $artefacts || fail "could not write the bills of materials."
cd "$output"
rm -f SHA256SUMS
find . -maxdepth 1 -type f -printf '%f\n' | sort | xargs sha256sum -- >"$scratch/sums"
cp "$scratch/sums" SHA256SUMS
ls -l
