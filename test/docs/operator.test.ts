import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsOf, isCommon, withCommands } from '../../generate/operator.ts';
import { operatorProgram } from '../../operator/program.ts';
import manifest from '../../package.json' with { type: 'json' };
import { commandOf, mistakesIn } from './operator-calls.ts';

/** The operator's commands, as they are described. */

const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const commands = commandsOf(operatorProgram());

describe('docs/operations.md', () => {
  it('describes the commands as they are', () => {
    expect(withCommands(page), 'run `npm run docs` and commit docs/operations.md').toBe(page);
    expect(commands.length).toBeGreaterThan(12);
  });

  it('explains the options that all commands share', () => {
    const common = new Set(
      commands.flatMap(({ command }) => command.options.filter(isCommon).map(({ flags }) => flags)),
    );
    expect(common.size).toBe(7);
    for (const flags of common) expect(page).toContain(`\`${flags}\``);
  });
});

it('--version says which release it is', () => {
  expect(operatorProgram().version()).toBe(manifest.version);
});

describe.each(commands.map(({ name, command }) => [name, command] as const))('%s', (_, command) => {
  it('prints JSON if asked to, and works on a stage, and on local data where these have what it needs, or calls an API', () => {
    const known = command.options.map(({ long }) => long);
    const target = known.includes('--url') ? ['--url'] : ['--outputs', '--table', '--role', '--region'];
    expect(known).toEqual(expect.arrayContaining(['--json', ...target]));
    const isOfStage = /^(logs|status|doctor|import|mcp|usage)$/.test(command.name());
    expect(known.includes('--local')).toBe(!isOfStage);
  });

  it('has examples that are calls of it', () => {
    const lines = helpOf(command)
      .split('\n')
      .filter((line) => line.includes('npx custodia '));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const words = line
        .replace(/ +[#|>].*/, '')
        .trim()
        .split(/ +/)
        .slice(2);
      expect([commandOf(words).name(), mistakesIn(words)], line).toEqual([command.name(), []]);
    }
  });
});

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return help;
}

describe('package.json', () => {
  it('names the program that npx custodia runs', () => {
    expect(manifest.bin).toEqual({ custodia: 'bin/custodia.cjs' });
    expect(operatorProgram().name()).toBe('custodia');
  });
});
