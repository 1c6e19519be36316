# Completion of warpvp's words in bash. The program itself knows them; file names are offered where it has none.
_warpvp() {
  local program=${1/#\~/$HOME}
  mapfile -t COMPREPLY < <("$program" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _warpvp warpvp
