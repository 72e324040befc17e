# shellcheck shell=bash
# Functions that install other languages' maps, TBB's and liburcu's, with apt-get, and compile the
# Java programs.
# Source it after allocators.sh, which sets `allocator` and `assume_yes`.

# Succeeds if the compiler finds the headers of both.
has_peers() {
  local compiler
  compiler=$(command -v clang++ || command -v c++) || return 1
  "$compiler" -fsyntax-only -std=c++17 -x c++ - 2>/dev/null \
    <<<$'#include <tbb/concurrent_hash_map.h>\n#include <urcu/urcu-memb.h>\n#include <urcu/rculfhash.h>'
}

install_peers_if_missing() {
  local sudo command
  ! has_peers || return 0
  can_run apt-get && sudo=$(root_prefix) || return 1
  command="${sudo}apt-get install --yes libtbb-dev liburcu-dev"
  say "Other languages' maps are missing; this command installs them: $command"
  if [[ $assume_yes != true ]] && on_terminal; then confirm "Install them now?" || return 1; fi
  run_install_command "$command" </dev/null >&2 && has_peers
}

# Prints the traits of a build with all available libraries; installs the maps if they are missing.
traits_with_peers() {
  local traits=()
  [[ $allocator != jemalloc ]] || traits+=(Jemalloc)
  if install_peers_if_missing; then
    traits+=(Peers)
  else
    say "Running without TBB, liburcu and std::shared_mutex: libtbb-dev or liburcu-dev is missing."
  fi
  (IFS=, && printf '%s\n' "${traits[*]-}")
}

# Compiles the Java programs, and sets `jdk` to benchlab's option for their folder; to nothing, with
# one line that says so, if java or javac is missing.
# shellcheck disable=SC2034 # Used by the scripts.
compile_java_programs() {
  jdk=()
  if can_run java && can_run javac; then
    javac -d "$root/.build-java" "$root"/Benchmarks/Peers/java/*.java >&2
    jdk=(--jdk "$root/.build-java")
  else
    say "Running without the JDK: java or javac is missing; install a JDK for its rows."
  fi
}
