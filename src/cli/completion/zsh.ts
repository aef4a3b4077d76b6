// The script for zsh: as a file `_openchatml` in a folder of $fpath, or read by the shell after compinit.

import type { Completed, CompletedOption } from './table.ts';

export function zsh(program: string, commands: readonly Completed[]): string {
  const described = commands.map(({ name, description }) => `        ${quoted(`${name}:${description}`)}`);
  const cases = commands.map((command) => {
    const specs = [...command.options.flatMap(specsOf), argumentOf(command)];
    const words = ['_arguments -s', ...specs].join(' \\\n            ');
    return `        ${command.name})\n          ${words}\n          ;;`;
  });
  return `#compdef ${program}
# Completion of ${program} for zsh.

_${program}() {
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \\
    '(- *)'{-V,--version}'[print the version]' \\
    '(- *)'{-h,--help}'[print how it is used]' \\
    '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
${described.join('\n')}
      )
      _describe command commands
      ;;
    argument)
      case $words[1] in
${cases.join('\n')}
      esac
      ;;
  esac
}

if [ "$funcstack[1]" = _${program} ]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

/** `*` in front: an option may be given again. */
function specsOf({ long, short, description, value, choices }: CompletedOption): string[] {
  const name = value === 'none' ? '' : `:${long.slice(2)}:`;
  const action = value === 'choice' ? `(${choices.join(' ')})` : value === 'file' ? '_files' : '';
  const words = `[${description.replace(/[[\]\\:]/g, '\\$&')}]${name}${action}`;
  return [long, short].filter((flag) => flag !== undefined).map((flag) => {
    return quoted(`*${flag}${value !== 'none' && flag === long ? '=' : ''}${words}`);
  });
}

function argumentOf({ words }: Completed): string {
  return quoted(words === null ? '*:path:_files' : `1:name:(${words.join(' ')})`);
}

/** A word in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
