# Completion of warpwright in fish: commands, their options, names of GPUs, files. All of it is asked of the program,
# so that this file knows no list.
function __warpwright_command
    for word in (commandline -opc)[2..]
        string match -q -- '-*' $word; or begin; echo $word; return; end
    end
end
function __warpwright_help
    set -l words (commandline -opc)
    set -l program $words[1]
    $program (__warpwright_command) --help 2>/dev/null
end
function __warpwright_values  # of an option that takes one of several words
    set -l option (commandline -opc)[-1]
    string match -q -- '--*' $option; or return
    if test $option = --gpu
        warpwright gpus --format csv | sed 1d | cut -d, -f3 | sort -u
    else
        __warpwright_help | string replace -rf -- "^ *$option [^ {]*\{([^}]*)\}.*" '$1' | string split ,
    end
end
complete -c warpwright -f -n 'not __warpwright_command | string length -q' -a "(warpwright --help | string replace -rf '^  ([a-z][a-z-]*)  +(.*)' '\$1\t\$2')"
complete -c warpwright -f -n '__warpwright_command | string length -q; and string match -q -- "-*" (commandline -ct)' -a "(__warpwright_help | string match -ar -- '--[a-z][a-z-]*' | sort -u)"
complete -c warpwright -f -n '__warpwright_values | string length -q' -a '(__warpwright_values)'
