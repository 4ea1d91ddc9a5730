#!/bin/sh
# Creates a Python environment, DIR/bin/python3, with the trainers that clients/python supports and Debian's torch for CPUs.
# Nothing is installed on the machine: missing packages are unpacked into DIR.
#
# usage: get_trainers.sh DIR REQUIREMENTS    recreates DIR; REQUIREMENTS is the file with the packages from PyPI
set -eu

fail() {
  printf 'get_trainers: %s\n' "$*" >&2
  exit 1
}

[ $# = 2 ] || fail "usage: get_trainers.sh DIR REQUIREMENTS"
requirements=$(realpath -- "$2")
mkdir -p "$1"
# The real path: a virtual environment stores its own path, and the checkout may be deleted before it.
target=$(realpath -- "$1")

rm -rf "$target"
mkdir -p "$target/deb" "$target/bin"

# torch and its dependencies that the machine lacks; other installed versions of dependencies stay in use.
# libtorch-test only contains torch's own tests.
plan=$(apt-get -s -qq install --no-install-recommends python3-torch) || fail "apt does not have python3-torch."
packages=$(printf '%s\n' "$plan" |
  awk '$1 == "Inst" && $2 !~ /^(python3-torch|libtorch-test)$/ && $3 !~ /^\[/ { print $2 }')
# shellcheck disable=SC2086  # a list of words
(cd "$target/deb" && apt-get -qq -o APT::Sandbox::User=root download python3-torch $packages) ||
  fail "could not download Debian's python3-torch: check the network, then try again."
for deb in "$target/deb"/*.deb; do
  dpkg -x "$deb" "$target/system"
done
rm -rf "$target/system/usr/share"
rm -rf "$target/deb"

# torch 1.13 is older than Debian 12's Python 3.11, which rejects this default.
sharded=$target/system/usr/lib/python3/dist-packages/torch/distributed/_shard/sharded_tensor/metadata.py
[ ! -e "$sharded" ] ||
  sed -i 's/field(default=TensorProperties())/field(default_factory=TensorProperties)/' "$sharded"

# Debian's own Python, for which Debian's torch is built.
/usr/bin/python3 -m venv --system-site-packages "$target/python"
"$target/python/bin/pip" install -q --disable-pip-version-check --no-deps -r "$requirements" ||
  fail "could not install the packages in $requirements."
for site in "$target/python"/lib/python3*/site-packages; do
  printf '%s\n' "$target/system/usr/lib/python3/dist-packages" >"$site/debian.pth"
done

# The folders where packages put their libraries. On an installed system, alternatives point to BLAS and LAPACK; unpacked,
# they are in separate folders.
system=$target/system
multiarch=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_config_var("MULTIARCH"))')
libraries=$system/usr/lib/$multiarch:$system/usr/lib/$multiarch/blas:$system/usr/lib/$multiarch/lapack
libraries=$libraries:$system/lib/$multiarch:$system/usr/lib
cat >"$target/bin/python3" <<END
#!/bin/sh
LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec $target/python/bin/python3 "\$@"
END
chmod +x "$target/bin/python3"
"$target/bin/python3" -c 'import torch, lightning.pytorch, transformers, accelerate' ||
  fail "the trainers do not start: see above."
