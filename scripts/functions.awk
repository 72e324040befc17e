# Reads the disassembly of one object file and prints one line per function: MODULE:NAME, a tab, and
# the instructions with their targets, without addresses and padding. compare-code uses it.

/^[0-9a-f]+ <.*>:$/ {
  flush()
  name = $2
  sub(/^</, "", name)
  sub(/>:$/, "", name)
  next
}

# A relocation is the target of the instruction before it. The section identifies strings and
# constants.
/R_[A-Z0-9_]+/ && name != "" {
  target = $NF
  if (target ~ /^\./) sub(/[+-]0x[0-9a-f]+$/, "", target)
  body = body " [" unnumbered(target) "]"
  next
}

/^ +[0-9a-f]+:/ && name != "" {
  sub(/^ +[0-9a-f]+:[ \t]*/, "")
  sub(/[ \t]*#.*$/, "")
  if ($0 ~ /^(nop|int3|data16|.*nopw)/) next
  # The target of a jump: the distance from the start of this function, or the name of another
  # function.
  if (match($0, /0x[0-9a-f]+ <.*>/)) {
    place = substr($0, RSTART, RLENGTH)
    sub(/^0x[0-9a-f]+ /, "", place)
    if (index(place, "<" name "+") == 1) place = substr(place, length(name) + 2)
    $0 = substr($0, 1, RSTART - 1) place
  }
  gsub(/[ \t]+/, " ")
  sub(/-?[0-9]+\(%rip\)/, "(%rip)")
  body = body ";" unnumbered($0)
}

END { flush() }

function flush() {
  if (name != "") print module ":" unnumbered(name) "\t" body
  name = ""
  body = ""
}

# Removes the numbers of closures, constants and copies: the function that contains one identifies
# it.
function unnumbered(symbol) {
  gsub(/U[0-9]+_/, "U_", symbol)
  gsub(/\.LCPI[0-9]+_/, ".LCPI_", symbol)
  gsub(/\.[0-9]+(Tm|TQ|TY|>|$)/, "", symbol)
  gsub(/\$deferL[0-9]+_/, "$deferL_", symbol)
  return symbol
}
