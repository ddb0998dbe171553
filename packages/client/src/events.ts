import { CustodiaProblem } from './problem.ts';
import type { Event, EventPage } from './schema.ts';
import type { Query } from './signatures.ts';
import type { Timing } from './timing.ts';
import type { Call } from './types.ts';

/** The feed of events, `GET /api/v1/events`: docs/events.md. */

export interface EventsOptions extends Query<'listEvents'> {
  /** Whether to wait for more at the end of the feed: yes unless told. */
  readonly follow?: boolean;
  /** Milliseconds between the end of the feed and the next request: 5,000 unless told. */
  readonly every?: number;
  readonly signal?: AbortSignal;
}

/**
 * Events in the order of their changes: loop over them, or over their pages. It sends nothing before. A second loop goes on
 * at `cursor`.
 * @throws CursorExpiredError where the cursor is older than the events that are kept
 */
export interface EventFeed extends AsyncIterable<Event> {
  /** Where to go on after a restart: behind the last page whose events a loop has all taken and come back from. */
  readonly cursor: string | undefined;
  /** The page at `cursor`, which stays where it is. `after: 'latest'` returns no events, and the cursor `next`. */
  readonly page: () => Promise<EventPage>;
  /**
   * Pages with a new cursor: store `next` once the events of `data` are handled. `data` is empty where you may not see what was
   * passed, or `types` leave it out: store that cursor, too, or it expires.
   */
  readonly pages: () => AsyncGenerator<EventPage, void>;
}

/**
 * The cursor is older than the events that are kept (30 days), or of a numbering that has ended, as after a restore. What
 * happened since is not known: take a cursor with `after: 'latest'`, read all records again, and go on from that cursor.
 */
export class CursorExpiredError extends Error {
  override readonly name = 'CursorExpiredError';
  readonly cursor: string;
  declare readonly cause: CustodiaProblem;

  constructor(cursor: string, cause: CustodiaProblem) {
    super(
      "The cursor has expired: take one with `after: 'latest'`, read all records again, and go on from there (docs/events.md)",
      { cause },
    );
    this.cursor = cursor;
  }
}

const hasNews = ({ data, next }: EventPage, cursor: string | undefined): boolean => data.length > 0 || next !== cursor;

/** Reads the feed page by page, and follows it. */
export const eventsWith =
  (GET: Call<'get'>, timing: Timing) =>
  ({ after, follow = true, every = 5000, signal, ...others }: EventsOptions = {}): EventFeed => {
    let cursor = after;

    const page = async (): Promise<EventPage> => {
      const query = { ...others, ...(cursor !== undefined && { after: cursor }) };
      try {
        return (await GET('/api/v1/events', { params: { query }, ...(signal && { signal }) })).data;
      } catch (error) {
        const isExpired = error instanceof CustodiaProblem && error.is('cursor-expired');
        throw isExpired && cursor !== undefined ? new CursorExpiredError(cursor, error) : error;
      }
    };

    async function* pages(): AsyncGenerator<EventPage, void> {
      for (;;) {
        const read = await page();
        if (hasNews(read, cursor)) yield read;
        cursor = read.next;
        if (read.more) continue;
        if (!follow) return;
        await timing.sleep(every, signal);
      }
    }

    async function* events(): AsyncGenerator<Event, void> {
      for await (const { data } of pages()) yield* data;
    }

    return {
      [Symbol.asyncIterator]: events,
      get cursor() {
        return cursor;
      },
      page,
      pages,
    };
  };
