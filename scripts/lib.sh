# shellcheck shell=bash
# Functions that the scripts share: messages, failures, packages to install, builds and test runs.
# Source it without arguments. It does not change the directory, so relative paths remain valid.

root=$(CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

can_run() { command -v "$1" >/dev/null; }

# fail STATUS MESSAGE: exits with a status of the programs: 1 found something, 2 could not do the
# work, 64 usage error.
fail() {
  say "$(basename "$0"): $2"
  exit "$1"
}

# With --help, a script prints the comment at its head.
if [[ ${1-} == -h || ${1-} == --help ]]; then
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit
fi

# is_given OPTION "$@": whether a script is called with OPTION, its only option. Fails with another.
is_given() {
  (($# > 1)) || return 1
  [[ $2 == "$1" ]] || fail 64 "unknown argument '$2' (allowed: $1, --help)"
}

# allow_no_argument "$@": fails if there is one.
allow_no_argument() { (($# == 0)) || fail 64 "unknown argument '$1' (allowed: --help)"; }

# Runs a command and prints its output to standard error only if the command fails; the status is
# then 2.
quietly() {
  local output
  output=$("$@" 2>&1) || {
    printf '%s\n' "$output" >&2
    return 2
  }
}

# within SECONDS COMMAND…: kills a command at its time limit, after a report of its threads.
within() { "$root/scripts/within" "$@"; }

# fail_with_log STATUS MESSAGE: fails after it has printed the file `log`.
fail_with_log() {
  cat "$log" >&2
  fail "$@"
}

# expect_text TEXT: fails unless `log` has the text.
expect_text() { grep -qF -- "$1" "$log" || fail_with_log 1 "expected '$1'"; }

# expect STATUS TEXT COMMAND…: fails unless the command exits with STATUS within `limit` seconds and
# prints TEXT. `log` then has its output.
limit=600
expect() {
  local expected=$1 text=$2 status=0
  shift 2
  printf '%4d s: %s\n' "$SECONDS" "${*#"$root/"}"
  within "$limit" "$@" >"$log" 2>&1 || status=$?
  ((status == expected)) ||
    fail_with_log 1 "expected status $expected and '$text', but the status was $status"
  expect_text "$text"
}

# read_options "$@": parses --yes and --allocator, and stores the other arguments in `passed`.
read_options() {
  allocator=jemalloc assume_yes=false passed=()
  while (($#)); do
    case $1 in
    --yes) assume_yes=true ;;
    --allocator=*) allocator=${1#*=} ;;
    --allocator)
      allocator=${2-}
      shift $(($# > 1))
      ;;
    --)
      shift
      passed+=("$@")
      break
      ;;
    *) passed+=("$1") ;;
    esac
    shift
  done
  case $allocator in
  jemalloc | system) ;;
  *) fail 64 "unknown allocator '$allocator' (allowed: jemalloc, system)" ;;
  esac
}

# settle_allocator CONSEQUENCE: installs jemalloc if `allocator` needs it and it is missing. If that
# fails, sets `allocator` to system and prints one line with the consequence and the reason. The
# names of builds without jemalloc end in `suffix`.
settle_allocator() {
  if [[ $allocator == jemalloc ]] && ! install_if_missing jemalloc has_jemalloc \
    'apt-get install --yes libjemalloc-dev' 'dnf install --assumeyes jemalloc-devel' \
    'apk add jemalloc-dev' 'brew install jemalloc'; then
    say "$1: $why_missing."
    allocator=system
  fi
  suffix=''
  [[ $allocator == jemalloc ]] || suffix=-system
}

has_jemalloc() { has_headers jemalloc/jemalloc.h; }

# has_headers HEADER…: succeeds if the compiler finds them.
has_headers() {
  local compiler flags=()
  compiler=$(command -v clang++ || command -v c++) || return 1
  # Homebrew's headers are outside of the compiler's search path.
  read -r -a flags < <(pkg-config --cflags jemalloc 2>/dev/null) || true
  printf '#include <%s>\n' "$@" | "$compiler" "${flags[@]}" -fsyntax-only -std=c++17 -x c++ - 2>/dev/null
}

# install_if_missing NAME CHECK COMMAND…: if CHECK fails, prints the first COMMAND whose package
# manager this machine has, and runs it as root. Asks first on a terminal, except after --yes. Fails
# if CHECK still fails, with the reason in `why_missing`.
install_if_missing() {
  local name=$1 check=$2 command sudo='' alone=() answer
  shift 2
  ! "$check" || return 0
  why_missing="$name is missing, and this machine has no known package manager for it"
  until (($# == 0)) || can_run "${1%% *}"; do shift; done
  command=${1-}
  [[ -n $command ]] || return 1
  if ((EUID != 0)) && [[ $command != brew* ]]; then
    can_run sudo || return 1
    sudo=sudo
    # sudo may ask for a password only on a terminal.
    if ! on_terminal; then sudo='sudo -n' && sudo -n true 2>/dev/null || return 1; fi
    command="$sudo $command"
  fi
  say "$name is missing; this command installs it: $command"
  if [[ ${assume_yes-} != true ]] && on_terminal; then
    why_missing="$name is missing and was not installed"
    read -r -p "Install it now? [Y/n] " answer && [[ -z $answer || $answer == [yY]* ]] || return 1
  fi
  why_missing="$name is missing and could not be installed"
  # A package manager fails while another script runs it.
  ! can_run flock || alone=(flock "${TMPDIR:-/tmp}/weak-collections.installing")
  # shellcheck disable=SC2086 # Commands of words without spaces.
  {
    # Debian's lists of packages may be empty or outdated.
    if [[ $command == *apt-get* ]]; then "${alone[@]}" $sudo apt-get update; fi
    "${alone[@]}" $command
  } </dev/null >&2
  "$check"
}

on_terminal() { [[ -t 0 && -t 2 && -z ${CI-} ]]; }

# Every build of this package has a name, a folder .build-NAME and the options that
# `select_build NAME` stores in `build`. `targets` then limits the build to the targets that it
# names and those that they need (Package.swift); it is empty for all.
#
#   tests    debug, with jemalloc; tests-system without jemalloc
#   bench    release, with jemalloc, and only what is timed is optimized (Package.swift);
#            bench-system without jemalloc
#   bench-peers    release, with jemalloc and the maps of other languages, for benchlab
#   threads, addresses    the sanitizers; these and `tests` have only lines as debug information
#   schedules    optimized, with the managed scheduler
#   weak-boxes, conservation    variants of the library's tests
#   heaps    the tests that read the heap of glibc, which jemalloc replaces in `tests`
select_build() {
  targets=''
  # SwiftPM finds the tests of XCTest in the index, so that a build of tests needs one.
  build=(--scratch-path "$root/.build-$1" --explicit-target-dependency-import-check error)
  local library='PrimitivesTests WeakReferencesTests EpochReclamationTests WeakCollectionsTests'
  library+=' PublishedExamplesTests LeakMonitoringTests ThreadingTests'
  case $1 in
  tests) build+=(--traits Jemalloc -Xswiftc -gline-tables-only) ;;
  tests-system) build+=(-Xswiftc -gline-tables-only) ;;
  bench) build+=(-c release -debug-info-format none -Xswiftc -Onone --traits Jemalloc) ;;
  bench-system) build+=(-c release -debug-info-format none -Xswiftc -Onone) ;;
  bench-peers) build+=(-c release -debug-info-format none --traits "Jemalloc,Peers") ;;
  threads-short | addresses-short)
    select_build "${1%-short}"
    targets='PrimitivesTests WeakReferencesTests EpochReclamationTests WeakCollectionsTests ThreadingTests'
    if [[ $1 == threads-short ]]; then
      targets+=' StressTestingTests'
      build=(--scratch-path "$root/.build-$1" "${build[@]:2}" --traits WeakBoxes)
    fi
    ;;
  threads | addresses)
    targets="$library ChoosingTests RuntimeInspectionTests LeakMonitoringReportersTests"
    targets+=' LeakTestingTests MainActorMonitoringTests InterleavingTests StressTestingTests'
    targets+=' BenchmarkingTests'
    build+=(-Xswiftc -gline-tables-only)
    if [[ $1 == threads ]]; then
      build+=(--sanitize thread)
    else
      targets+=' LinearizabilityTests'
      build+=(--sanitize address --traits InternalChecks)
    fi
    ;;
  schedules)
    targets='CorpusTests InterleavingTests StressTestingTests weakstress'
    build+=(--traits Interleaving -Xswiftc -O)
    ;;
  weak-boxes)
    targets="$library LeakTestingTests RuntimeInspectionTests leakwatchTests weakstress"
    build+=(--traits WeakBoxes)
    ;;
  heaps) targets='RuntimeInspectionTests leakwatchTests' ;;
  conservation)
    targets='WeakCollectionsTests DocumentationTests'
    build+=(-Xswiftc -O)
    ;;
  *) fail 2 "there is no build '$1'" ;;
  esac
  if [[ -n $targets ]]; then export WEAK_COLLECTIONS_TESTS=$targets; else unset WEAK_COLLECTIONS_TESTS; fi
}

# build_program NAME BUILD: builds an executable in a build of `select_build` and prints the path of
# its binary. If a variable with the name in capitals, such as WEAKBENCH, has the path of a binary,
# prints that path and builds nothing.
build_program() {
  local given=${1^^}
  if [[ -n ${!given-} ]]; then
    printf '%s\n' "${!given}"
    return
  fi
  select_build "$2"
  build+=(--package-path "$root")
  compile "$1 ($2)" "${build[@]}" --product "$1" || return 2
  printf '%s/%s\n' "$(swift build "${build[@]}" --show-bin-path)" "$1"
}

# compile WHAT OPTION…: runs `swift build`. A terminal shows SwiftPM's progress; elsewhere a line
# each ten seconds says how far the build is. Prints the log only if the build fails.
compile() {
  local what=$1 log started=$SECONDS said=0 status=0 process
  shift
  say "Building $what; a first build takes some minutes…"
  if [[ -t 2 ]]; then
    swift build "$@" >&2 || return 2
    return
  fi
  log=$(mktemp)
  swift build "$@" >"$log" 2>&1 &
  process=$!
  # A process in the background ignores an interruption.
  trap 'kill "$process"; exit 130' INT TERM
  while kill -0 "$process" 2>/dev/null; do
    if ((SECONDS - started >= 10 * (said + 1))); then
      said=$(((SECONDS - started) / 10))
      say "$(printf '%4d s: %s' $((SECONDS - started)) "$(tail -n 1 "$log" | cut -c 1-80)")"
    fi
    sleep 0.2
  done
  wait "$process" || status=2
  trap - INT TERM
  ((status == 0)) || cat "$log" >&2
  rm -f "$log"
  say "Built $what in $((SECONDS - started)) s."
  return "$status"
}

# run_tests BUILD [test options…]: builds the tests and runs them. A run without a test fails, so
# that an outdated filter is noticed.
run_tests() {
  select_build "$1"
  shift
  run_tests_of "$root" "${build[@]}" -- "$@"
}

# run_tests_of PACKAGE [build options…] -- [test options…]: those of any package. The command in
# `around` starts each run. If `shards` has several expressions, each selects the tests of a process
# of its own, and a last process runs all other tests.
around=() shards=()
run_tests_of() {
  local package=$1 log status=0 options=()
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  compile "the tests of $(basename "$package")" --build-tests --package-path "$package" "${options[@]}" ||
    return 2
  log=$(mktemp)
  # `--ignore-lock`: the runs build nothing, and so need not wait for each other.
  local run=("${around[@]}" swift test --package-path "$package" "${options[@]}"
    --skip-build --ignore-lock "$@")
  if ((${#shards[@]} > 0)); then
    run_shards "$log" "${run[@]}" || status=$?
  else
    "${run[@]}" 2>&1 | tee "$log" || status=$?
  fi
  if ((status == 0)) && ! grep -qE '(Test run with|Executed) [1-9]' "$log"; then
    say "$(basename "$0"): no test ran"
    status=1
  fi
  ((slowest == 0)) || slowest_tests "$slowest" <"$log" >&2
  rm -f "$log"
  return "$status"
}

# run_shards LOG COMMAND…: runs the command once for each expression of `shards` with a filter, and
# once without all of these tests, all at the same time, because many tests wait for a while. Writes
# all output to LOG, and prints each part when it ends.
run_shards() {
  local log=$1 status=0 expression process rest=''
  shift
  local -A parts=()
  # A process in the background ignores an interruption.
  trap 'kill "${!parts[@]}"; exit 130' INT TERM
  for expression in "${shards[@]}"; do
    rest+=${rest:+|}$expression
    "$@" --filter "$expression" >"$log.${#parts[@]}" 2>&1 &
    parts[$!]=$log.${#parts[@]}
  done
  "$@" --skip "$rest" >"$log.rest" 2>&1 &
  parts[$!]=$log.rest
  while ((${#parts[@]} > 0)); do
    wait -n -p process "${!parts[@]}" || status=$?
    tee -a "$log" <"${parts[$process]}"
    rm -f "${parts[$process]}"
    unset "parts[$process]"
  done
  trap - INT TERM
  return "$status"
}

# How many of the slowest tests a run of tests lists after its end.
slowest=0

# slowest_tests N: prints the N slowest tests of the log on standard input, with their seconds.
slowest_tests() {
  printf 'The %d slowest tests, in seconds:\n' "$1"
  sed -nE '/ Test run with /d; s/^[^ ]+ +Test (.+) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' |
    LC_ALL=C sort -rn | awk -v n="$1" 'NR <= n { s = $1; sub(/^[^ ]+ /, ""); printf "%8.1f  %s\n", s, $0 }'
}
