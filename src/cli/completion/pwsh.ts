// The script for PowerShell, 5 and later. Where it offers nothing, PowerShell completes files.

import type { Completed } from './table.ts';

export function powershell(program: string, commands: readonly Completed[]): string {
  const tables = commands.map(({ name, options, words }) => {
    const flags = options.flatMap(({ long, short, description }) => {
      const names = [long, short].filter((flag) => flag !== undefined);
      return names.map((flag) => `        ${quoted(flag)} = ${quoted(description)}`);
    });
    const values = options.filter(({ value }) => value !== 'none')
      .map(({ long, choices }) => `        ${quoted(long)} = @(${choices.map(quoted).join(', ')})`);
    return `    ${quoted(name)} = @{
      Options = [ordered]@{
${flags.join('\n')}
      }
      Choices = @{
${values.join('\n')}
      }
      Words = @(${(words ?? []).map(quoted).join(', ')})
    }`;
  });
  const described = commands.map(({ name, description }) => `    ${quoted(name)} = ${quoted(description)}`);
  return `# Completion of ${program} for PowerShell. To be run by the shell: ... | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = [ordered]@{
${described.join('\n')}
  }
  $tables = @{
${tables.join('\n')}
  }
  $elements = $commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition }
  $before = @($elements | ForEach-Object { $_.ToString() })
  $command = $before | Select-Object -Skip 1 | Where-Object { $tables.ContainsKey($_) } | Select-Object -First 1
  $found = [ordered]@{}
  if (-not $command) {
    $found = $commands
  } else {
    $table = $tables[$command]
    $last = $before[-1]
    if ($table.Choices.ContainsKey($last)) {
      foreach ($choice in $table.Choices[$last]) { $found[$choice] = $choice }
    } elseif ($wordToComplete -like '-*') {
      $found = $table.Options
    } else {
      foreach ($word in $table.Words) { $found[$word] = $word }
    }
  }
  foreach ($name in $found.Keys) {
    if ($name -like "$wordToComplete*") {
      [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $found[$name])
    }
  }
}
`;
}

/** A word in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
