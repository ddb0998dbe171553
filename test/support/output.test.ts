import { expect, it } from 'vitest';
import { strayOutput } from './output.ts';

it('knows what is no log line of a function', () => {
  const lines = [
    '{"level":"ERROR","message":"a"}',
    '{"_aws":{}}',
    '{"time":1,"level":"INFO"}',
    '',
    'seed 5',
    '{"a":1}',
  ];
  expect(strayOutput(lines.join('\n'))).toBe('seed 5\n{"a":1}');
});

it('takes what is printed from the terminal', () => {
  console.log('{"level":"INFO","message":"This must not be seen."}');
  process.stderr.write('{"level":"INFO","message":"Nor this."}\n');
  expect(strayOutput('This would be.')).toBe('This would be.');
});
