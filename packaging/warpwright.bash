# Completion of warpwright in bash: commands, their options, names of GPUs, kernels and studies. All of it is asked of
# the program, so that this file knows no list.
_warpwright() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
  local command= k
  for ((k = 1; k < COMP_CWORD; ++k)); do
    case ${COMP_WORDS[k]} in -*) ;; *) command=${COMP_WORDS[k]}; break ;; esac
  done
  if [ -z "$command" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p') --help --version" -- "$word")
    return
  fi
  case $before in
    --gpu) mapfile -t COMPREPLY < <(compgen -W "$("$program" gpus --format csv 2>/dev/null | cut -d, -f3 | sort -u)" -- "$word"); return ;;
    --*)  # an option that takes one of several words
      local words=$("$program" "$command" --help 2>/dev/null | sed -n "s/^ *$before [^ {]*{\([^}]*\)}.*/\1/p")
      if [ -n "$words" ]; then mapfile -t COMPREPLY < <(compgen -W "${words//,/ }" -- "$word"); return; fi ;;
  esac
  case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$("$program" "$command" --help | grep -o -- '--[a-z][a-z-]*' | sort -u)" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _warpwright warpwright
