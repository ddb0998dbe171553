import { createHash } from 'node:crypto';
import { environmentPublicKeys } from '#auth';
import { type Operations, respond } from '#http';
import type { wellKnown } from './contract.ts';

/** How long caches may keep the keys, in seconds: a new key is published for longer before it signs. */
const MAX_AGE = 300;

export const wellKnownOperations: Operations<typeof wellKnown> = {
  getTokenKeys: async () => {
    const text = JSON.stringify({ keys: await environmentPublicKeys() });
    const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    return respond.text(text, { ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE}` });
  },
};
