// The script for bash, 3.2 and later. Where it offers nothing, bash completes files.

import type { Completed } from './table.ts';

export function bash(program: string, commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name);
  const values = commands.flatMap(({ name, options }) => options.flatMap(({ long, value, choices }) => {
    if (value === 'choice') {
      return [`    ${name}:${long}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$word")); return ;;`];
    }
    if (value === 'file') return [`    ${name}:${long}) return ;;`];
    return value === 'free' ? [`    ${name}:${long}) compopt +o default +o bashdefault 2>/dev/null; return ;;`] : [];
  }));
  const options = commands.map((command) => {
    const words = command.options.flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]));
    return `    ${command.name}:-*) words='${words.join(' ')}' ;;`;
  });
  const words = commands.filter((command) => command.words !== null)
    .map((command) => `    ${command.name}:*) words='${command.words!.join(' ')}' ;;`);
  return `# Completion of ${program} for bash. To be read by the shell: source this file.

_${program}() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command= words= i
  COMPREPLY=()
  # --format=json is three words to bash.
  if [ "$word" = = ]; then
    word=
  elif [ "$before" = = ]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
    ${names.join('|')})
      command=\${COMP_WORDS[i]}
      break
      ;;
    esac
  done
  case $command:$before in
${values.join('\n')}
  esac
  case $command:$word in
    :-*) words='--version -V --help -h' ;;
    :*) words='${names.join(' ')}' ;;
${[...options, ...words].join('\n')}
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}

complete -o bashdefault -o default -F _${program} ${program}
`;
}
