import type { Operations } from '#http';
import type { health } from './contract.ts';

/** Has an entity tag, like every read: the response is always the same. */
const HEADERS = { ETag: '"ok"', 'Cache-Control': 'no-store' } as const;

export const healthOperations: Operations<typeof health> = {
  getHealth: async ({ session }) => {
    await session.tables.check();
    return { body: { status: 'ok' }, headers: HEADERS };
  },
};
