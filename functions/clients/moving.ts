import { body } from '#contract';
import * as field from '#contract/field';

const move = body('Move', () => ({
  client_id: field.reference('Client').describe('The client that it belongs to from now on.'),
})).describe('To which client a record is moved.');

/** What routes have in common that move a record to another client. */
export const moving = {
  extension: true,
  body: move,
  bodyExample: { client_id: '7a2e5c90-4b1d-4f68-9c3a-1e0d8b7f6a52' },
  errors: ['not-found'],
} as const;
