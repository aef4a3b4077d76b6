// The script for fish: one line for each thing that it may offer.

import type { Completed } from './table.ts';

export function fish(program: string, commands: readonly Completed[]): string {
  const none = '__fish_use_subcommand';
  const lines = [
    `complete -c ${program} -f -n ${none} -s V -l version -d 'print the version'`,
    `complete -c ${program} -f -n ${none} -s h -l help -d 'print how it is used'`,
  ];
  for (const { name, description } of commands) {
    lines.push(`complete -c ${program} -f -n ${none} -a ${name} -d ${quoted(description)}`);
  }
  for (const { name, options, words } of commands) {
    const start = `complete -c ${program} -n '__fish_seen_subcommand_from ${name}'`;
    if (words !== null) lines.push(`${start} -f -a '${words.join(' ')}'`);
    for (const { long, short, description, value, choices } of options) {
      const flags = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
      const takes = { none: '', choice: ` -x -a '${choices.join(' ')}'`, file: ' -r -F', free: ' -x' }[value];
      lines.push(`${start}${flags}${takes} -d ${quoted(description)}`);
    }
  }
  return `# Completion of ${program} for fish. To be read by the shell: source this file.\n\n${lines.join('\n')}\n`;
}

/** A word in single quotes, where fish knows two escapes. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
