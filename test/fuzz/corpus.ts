import { randomUUID } from 'node:crypto';
import { kindOf, PLACEHOLDER } from './requests.ts';

/** How many records of a kind are remembered; the oldest go first. */
const KEPT = 40;

/** Records that the run has created, so that requests can name existing ones. */
export class Corpus {
  readonly #ids = new Map<string, string[]>();
  readonly #spared: string;

  /** @param spared an id that is never named */
  constructor(spared: string) {
    this.#spared = spared;
  }

  add(kind: string, id: string): void {
    if (id === this.#spared) return;
    const known = this.#ids.get(kind) ?? [];
    if (!known.includes(id)) known.push(id);
    this.#ids.set(kind, known.slice(-KEPT));
  }

  /** Remembers the ids in a response of the operation at this path. */
  learn(path: string, body: unknown): void {
    const { data = [body] } = (body ?? {}) as { data?: unknown };
    const kind = path.endsWith('/memberships')
      ? 'memberships'
      : path.split('/').at(-1)?.startsWith('{')
        ? kindOf(path)
        : lastOf(path);
    for (const record of Array.isArray(data) ? data.slice(0, 5) : []) {
      const { id } = (record ?? {}) as { id?: unknown };
      if (typeof id === 'string') this.add(kind, id);
    }
  }

  /** The text with its placeholders replaced. A kind without known records gets an unused id. */
  fill(text: string): string {
    return text.replace(PLACEHOLDER, (_, kind: string, index: string) => {
      const known = this.#ids.get(kind) ?? [];
      return known[Number(index) % Math.max(1, known.length)] ?? randomUUID();
    });
  }
}

const lastOf = (path: string): string => path.split('/').at(-1) ?? '';
