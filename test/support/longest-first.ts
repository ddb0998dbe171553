import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes half a minute or more, the longest first. Begun last, it would run alone at the end. */
const LONGEST = [
  ...['infra/deployed', 'browser/docs', 'docs/adding-an-endpoint', 'table/bounds', 'local/start'],
  'operator/local-command',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.slow.test.ts`));
  return rank < 0 ? LONGEST.length : rank;
};

/** The order of slow tests in a fresh clone, where Vitest knows no durations. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
