#!/bin/sh
# Builds, from Debian's own source packages, archives of the libraries that Debian 12 ships without a
# usable one: simdjson, fmt, spdlog and prometheus-cpp have none at all, and that of curl needs Kerberos,
# LDAP and RTMP. The versions are those of the installed -dev packages, so the headers fit. OpenSSL and zstd are
# Debian's archives without the tables that exceptions unwind by, 0.6 MB: no exception crosses their C code.
#
# usage: build_static_libraries.sh DIR      does nothing when DIR has them already
#
# Writes DIR/lib/*.a, DIR/copyright/SOURCE and DIR/sources.tsv (archive, binary package, its version,
# source package, its version).
set -eu

fail() {
  printf 'build_static_libraries: %s\n' "$*" >&2
  exit 1
}

[ $# = 1 ] || fail "usage: build_static_libraries.sh DIR"
# shellcheck source=/dev/null
. /etc/os-release
[ "${VERSION_ID:-}" = 12 ] ||
  fail "the portable program is built on Debian 12, so that it runs with glibc 2.36; this is ${PRETTY_NAME:-unknown}."

built='libsimdjson-dev libfmt-dev libspdlog-dev prometheus-cpp-dev libcurl4-openssl-dev'
copied='libssl-dev libzstd-dev'
mkdir -p "$1/lib" "$1/copyright"
target=$(CDPATH='' cd -- "$1" && pwd)
# shellcheck disable=SC2086  # a list of words
wanted=$(dpkg-query -W -f='${Package} ${Version} ${source:Package} ${source:Version}\n' $built $copied) ||
  fail "the -dev packages are missing: run ./dev setup build."
# What the archives are made of: the packages, and this script.
stamp=$(printf '%s\n' "$wanted" && sha256sum <"$0")
if [ -e "$target/stamp" ] && [ "$stamp" = "$(cat "$target/stamp")" ]; then
  exit 0
fi
rm -f "$target/stamp" "$target/sources.tsv"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/lists/partial"

# The same mirrors and suites as apt's, for sources.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
apt-get indextargets --format "deb-src [signed-by=$keyring] \$(SITE) \$(RELEASE) \$(COMPONENT)" \
  'Created-By: Packages' 'Origin: Debian' | sort -u >"$scratch/sources.list"
[ -s "$scratch/sources.list" ] || fail "found no Debian mirror: run apt-get update first."

# Lists of its own: this machine's stay as they are.
apt_source() {
  apt-get -qq -o Dir::Etc::sourcelist="$scratch/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::Lists="$scratch/lists" -o Dir::Cache="$scratch" -o APT::Sandbox::User=root "$@"
}

echo "build_static_libraries: reading the lists of source packages"
apt_source update || fail "could not read the lists of source packages."

# unpack BINARY-PACKAGE: its source, with Debian's patches, in $scratch/BINARY-PACKAGE.
unpack() {
  source_and_version=$(printf '%s\n' "$wanted" | awk -v name="$1" '$1 == name {print $3 "=" $4}')
  (
    mkdir -p "$scratch/download"
    cd "$scratch/download"
    rm -f ./*
    apt_source source --download-only "$source_and_version" &&
      dpkg-source --no-check -x ./*.dsc "$scratch/$1" >"$scratch/log" 2>&1
  ) || {
    cat "$scratch/log" >&2
    fail "could not unpack the source of $source_and_version."
  }
  cp "$scratch/$1/debian/copyright" "$target/copyright/${source_and_version%%=*}"
}

# record ARCHIVE BINARY-PACKAGE
record() {
  printf '%s\t%s\n' "$1" "$(printf '%s\n' "$wanted" | awk -v name="$2" -v OFS='\t' \
    '$1 == name {print $1, $2, $3, $4}')" >>"$target/sources.tsv"
}

hardening="-O2 -fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
  -D_FORTIFY_SOURCE=2 -ffunction-sections -fdata-sections -ffile-prefix-map=$scratch/="
ccache=$(command -v ccache || true)

# archive NAME PACKAGE FLAGS SOURCE ...: compiles the sources from their folder into lib/NAME.a.
archive() {
  name=$1 package=$2 flags=$3
  shift 3
  echo "build_static_libraries: $name"
  mkdir -p "$scratch/objects/$name"
  for file in "$@"; do
    # shellcheck disable=SC2086
    (cd "$scratch/$package" && $ccache g++ -std=c++20 -DNDEBUG $hardening $flags -c "$file" \
      -o "$scratch/objects/$name/$(basename "$file").o") || fail "could not compile $file of $package."
  done
  rm -f "$target/lib/$name.a"
  (cd "$scratch/objects/$name" && LC_ALL=C ar rcsD "$target/lib/$name.a" ./*.o)
  record "$name.a" "$package"
}

archive_of_curl() {
  echo "build_static_libraries: libcurl"
  # HTTP alone. Where certificates are is found out by the program that runs (cli/process/certificates.h), which
  # tells OpenSSL: the fallback.
  cmake -S "$scratch/libcurl4-openssl-dev" -B "$scratch/curl" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_C_FLAGS="-DNDEBUG $(echo $hardening)" -DCMAKE_C_COMPILER_LAUNCHER="$ccache" \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF -DENABLE_MANUAL=OFF -DHTTP_ONLY=ON \
    -DCURL_DISABLE_NTLM=ON -DCURL_USE_OPENSSL=ON -DCURL_ZLIB=ON -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DUSE_NGHTTP2=OFF \
    -DUSE_LIBIDN2=OFF -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH=OFF -DCURL_USE_LIBSSH2=OFF -DUSE_LIBRTMP=OFF \
    -DCURL_USE_GSSAPI=OFF -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none -DCURL_CA_FALLBACK=ON >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/curl" --target libcurl >>"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    fail "could not build curl."
  }
  cp "$scratch/curl/lib/libcurl.a" "$target/lib/"
  record libcurl.a libcurl4-openssl-dev
}

# without_unwinding NAME PACKAGE: Debian's archive of that name, smaller.
without_unwinding() {
  archive=$(dpkg-query -L "$2" | grep "/$1\.a\$") || fail "$2 has no $1.a."
  objcopy --remove-section .eh_frame --remove-section .rela.eh_frame "$archive" "$target/lib/$1.a"
  source=$(printf '%s\n' "$wanted" | awk -v name="$2" '$1 == name {print $3}')
  cp "/usr/share/doc/$2/copyright" "$target/copyright/$source"
  record "$1.a" "$2"
}

for package in $built; do
  unpack "$package"
done
cd "$scratch"
archive libsimdjson libsimdjson-dev '-Iinclude -Isrc' src/simdjson.cpp
archive libfmt libfmt-dev '-Iinclude' src/format.cc src/os.cc
# shellcheck disable=SC2046  # a list of names
archive libspdlog libspdlog-dev '-Iinclude -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL' \
  $(cd libspdlog-dev && ls src/*.cpp | grep -v fmt)
# shellcheck disable=SC2046
archive libprometheus-cpp-core prometheus-cpp-dev '-Icore/include' $(cd prometheus-cpp-dev && ls core/src/*.cc core/src/detail/*.cc)
archive_of_curl
without_unwinding libcrypto libssl-dev
without_unwinding libssl libssl-dev
without_unwinding libzstd libzstd-dev
sort -o "$target/sources.tsv" "$target/sources.tsv"
printf '%s\n' "$stamp" >"$target/stamp"
