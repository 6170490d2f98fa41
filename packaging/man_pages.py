#!/usr/bin/env python3
"""man_pages.py PROGRAM FOLDER VERSION: writes warpwright.1 and warpwright-COMMAND.1 for each command into the folder, of what
the program itself says at --help, so that there is one text of everything."""
import pathlib, re, subprocess, sys

program, folder, version = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
folder.mkdir(parents=True, exist_ok=True)


def said(*words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def plain(text):
    """Text as roff takes it for itself."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def page(name, help_text):
    """The lines of a help: what it is, its usage, its lists (options, commands), and what else it says."""
    lines = help_text.splitlines()
    what = re.sub(r"^Warpwright: ", "", lines[0]).strip()
    out = [f'.TH {name.upper().replace("-", chr(92) + "-")} 1 "" "warpwright {version}"', ".SH NAME", f"{plain(name)} \\- {plain(what)}"]
    open_list = verbatim = False

    def close():
        nonlocal verbatim
        if verbatim:
            out.append(".fi")
        verbatim = False

    for line in lines[1:]:
        heading = re.match(r"^([A-Z][A-Za-z ]*):\s*$", line)
        usage = re.match(r"^Usage: (.*)$", line)
        entry = re.match(r"^  ?(\S.*?)(?:  +(\S.*))?$", line) if open_list else None
        if usage:
            close()
            out += [".SH SYNOPSIS", f".B {plain(usage[1])}"]
        elif heading:
            close()
            out.append(f".SH {heading[1].upper()}")
            open_list = True
        elif not line.strip():
            close()
            open_list = False
        elif open_list and entry and not line.startswith("     "):
            close()
            out += [".TP", f".B {plain(entry[1])}"]
            if entry[2]:
                out.append(plain(entry[2]))
        elif open_list:
            out.append(plain(line.strip()))
        else:
            if not verbatim:
                out += [".SH DESCRIPTION" if ".SH DESCRIPTION" not in out else ".PP", ".nf"]
            verbatim = True
            out.append(plain(line))
    close()
    return "\n".join(out)


overview = said()
commands = re.findall(r"^  ([a-z][a-z-]*)\s", overview[overview.index("Subcommands:"):], flags=re.M)
others = ".SH SEE ALSO\n" + ",\n".join(f".BR {plain('warpwright-' + c)} (1)" for c in commands)
(folder / "warpwright.1").write_text(page("warpwright", overview) + "\n" + others + "\n")
for command in commands:
    text = page(f"warpwright-{command}", said(command))
    (folder / f"warpwright-{command}.1").write_text(text + "\n.SH SEE ALSO\n.BR warpwright (1)\n")
print(f"{len(commands) + 1} pages")
