# shellcheck shell=bash
# Runs the jobs of an array `jobs`, for .ci/run and .ci/nightly. Source it after the array, and
# after `seconds_of_all`, the time limit of the whole, if that is not the one below.
#
# Each job is a script of scripts/ with its arguments, which a person can run alone. Two jobs run at
# a time, because much of their work is single-threaded; a job after `alone:` runs beside none. The
# output of a job is printed when it has ended. A job that fails ends the run with its exit status,
# and the status of one that exceeds its time limit is 124, after the stacks of its processes. The
# last lines are a table of the durations, as in CONTRIBUTING.md, and the number of compile graphs.
exec </dev/null 2>&1

checkout=$(CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scripts=$checkout/scripts
# The host of CI kills .ci/run after 90 minutes and prints nothing. The limit is lower, so that the
# job which does not end is named. It is for hangs: a busy machine must not reach it.
lanes=2 seconds_of_all=${seconds_of_all-5320}

set -o monitor # Each job is a process group, which can be ended.
declare -A job_of=() started_at=()
output=$(mktemp -d)
durations=()
trap 'for process in "${!job_of[@]}"; do kill -- "-$process" || true; done 2>/dev/null; rm -rf "$output"' EXIT

# A `swift` before the real one on the PATH notes what is built: a compile graph is a package with a
# set of options that select what is compiled, and a scratch path.
export WEAK_COLLECTIONS_GRAPHS=$output/graphs WEAK_COLLECTIONS_SWIFT
WEAK_COLLECTIONS_SWIFT=$(command -v swift)
mkdir "$output/bin"
cp "$checkout/.ci/noting-swift" "$output/bin/swift"
# findleaks looks for the tools beside `swift`.
for tool in clang llvm-symbolizer; do
  ln -s "$(dirname "$(realpath "$WEAK_COLLECTIONS_SWIFT")")/$tool" "$output/bin/$tool"
done
PATH=$output/bin:$PATH

start() {
  local command seconds=$((seconds_of_all - SECONDS))
  ((seconds > 0)) || seconds=1
  read -r -a command <<<"$1"
  printf '=== scripts/%s starts after %d s\n' "$1" "$SECONDS"
  "$scripts/within" "$seconds" "$scripts/${command[0]}" "${command[@]:1}" >"$output/$1" 2>&1 &
  job_of[$!]=$1 started_at[$!]=$SECONDS
}

# Prints the tests of a log that started and did not end. A test that hangs leaves no other trace.
unfinished_tests() {
  comm -23 \
    <(sed -nE '/^◇ Test (case|run) /d; s/^◇ (Test .*) started\.$/did not end: \1/p' "$1" | sort) \
    <(sed -nE 's/^[^ ]+ +(Test .*) (passed|failed) after .*/did not end: \1/p' "$1" |
      sed -E 's/ with [0-9]+ test cases?$//' | sort)
}

# Waits for one that runs to end.
finish() {
  local process job seconds status=0
  wait -n -p process "${!job_of[@]}" || status=$?
  job=${job_of[$process]} seconds=$((SECONDS - started_at[$process]))
  unset "job_of[$process]"
  printf '\n=== scripts/%s\n' "$job"
  cat "$output/$job"
  if ((status != 0)); then
    # Last, where a log that was cut still has it.
    printf '\n=== of that, what failed:\n'
    grep -aE '✘|error:|Fatal|ERROR: |WARNING: |^within: ' "$output/$job" | grep -av 'known issue' | tail -n 40 || true
    unfinished_tests "$output/$job" | head -n 20
    printf '=== scripts/%s failed with exit status %d after %d s\n' "$job" "$status" "$seconds"
    exit "$status"
  fi
  printf '=== scripts/%s took %d s\n' "$job" "$seconds"
  durations+=("$(printf '| `%s` | %d |' "$job" "$seconds")")
}

# Returns when fewer than so many run.
wait_for_fewer_than() {
  while ((${#job_of[@]} >= $1)); do finish; done
}

for job in "${jobs[@]}"; do
  if [[ $job == alone:* ]]; then wait_for_fewer_than 1; else wait_for_fewer_than "$lanes"; fi
  start "${job#alone: }"
  [[ $job != alone:* ]] || wait_for_fewer_than 1
done
wait_for_fewer_than 1
printf '\n| job | seconds |\n|---|---:|\n'
printf '%s\n' "${durations[@]}"
printf '\n=== compile graphs:\n'
sort -u "$WEAK_COLLECTIONS_GRAPHS"
printf '=== %d compile graphs; all %d jobs passed in %d s\n' \
  "$(sort -u "$WEAK_COLLECTIONS_GRAPHS" | wc -l)" "${#jobs[@]}" "$SECONDS"
