# Reads the disassembly of one object file and prints one line a function: MODULE:NAME, a tab, and the
# instructions with what they refer to, without addresses and padding. Used by compare-code.

/^[0-9a-f]+ <.*>:$/ {
  flush()
  name = $2
  sub(/^</, "", name)
  sub(/>:$/, "", name)
  next
}

# A relocation: what the instruction before it refers to. Strings and constants are known by section.
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
  # A jump: by its distance from the head of this function, or by the name of another.
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

# A closure is known by the function it is in, not by its number there; so are a constant and a copy.
function unnumbered(symbol) {
  gsub(/U[0-9]+_/, "U_", symbol)
  gsub(/\.LCPI[0-9]+_/, ".LCPI_", symbol)
  gsub(/\.[0-9]+(Tm|TQ|TY|>|$)/, "", symbol)
  gsub(/\$deferL[0-9]+_/, "$deferL_", symbol)
  return symbol
}
