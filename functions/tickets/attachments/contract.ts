import * as z from 'zod';
import {
  contract,
  created,
  noContent,
  ok,
  onRequest,
  type RecordOf,
  readOnly,
  record,
  route,
  WHOLE_LIST,
  wholeListOf,
} from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { isInternal } from '../contract.ts';
import { DOWNLOAD, LARGEST, MOST_OF_TICKET, UPLOAD } from './limits.ts';

/** A type and a subtype (RFC 6838 §4.2), without parameters. */
const MEDIA_TYPE = /^[A-Za-z0-9][\w!#$&^.+-]{0,126}\/[A-Za-z0-9][\w!#$&^.+-]{0,126}$/;

const BUCKET = 'https://attachments.s3.eu-west-1.amazonaws.com/6f1c1f0e/c1d5a7b2';

/** In bytes of UTF-8, as in most file systems. */
const LONGEST_NAME = 255;
const isFileName = (name: string): boolean => !/[\p{Cc}/\\]/u.test(name) && Buffer.byteLength(name) <= LONGEST_NAME;

const url = () => field.bounded(8_192).meta({ examples: [`${BUCKET}?X-Amz-Signature=…`] });

const links = () => ({
  upload: z
    .strictObject({
      url: url().describe('Where to send the bytes. Whoever has the URL can do so.'),
      method: z.literal('PUT').describe('How to send them.'),
      headers: z
        .strictObject({
          'x-amz-checksum-sha256': field.text(44).describe('Has the store compare the bytes with `sha256`.'),
          'if-none-match': z.literal('*').describe('Has the store take the bytes once.'),
        })
        .describe('Headers to send, as they are, besides a `Content-Length` of `size`.'),
      expires_at: field.timestamp().describe('Until when the upload may begin.'),
    })
    .describe(`Where the bytes go; only in the response to the creation, and valid for ${UPLOAD.minutes} minutes.`),
  download: z
    .strictObject({
      url: url().describe('Where to get the bytes, as a file to save. Whoever has the URL can do so.'),
      expires_at: field.timestamp().describe('Until when it may be used.'),
    })
    .describe(
      'Where the bytes are; only where a single attachment is read that was uploaded, and valid for ' +
        `${DOWNLOAD.minutes} minutes or a little longer.`,
    ),
});

export const attachment = record('Attachment', () => ({
  id: readOnly(field.uuid()),
  ticket_id: readOnly(field.reference('Ticket').describe('The ticket that it belongs to.')),
  name: field
    .name(LONGEST_NAME)
    .refine(isFileName, {
      error: `must be a file name of at most ${LONGEST_NAME} bytes, without "/", "\\" and controls`,
    })
    .describe('Name of the file, without a path; at most 255 bytes of UTF-8.'),
  media_type: field
    .bounded(255)
    .regex(MEDIA_TYPE, { error: 'must be a media type such as application/pdf' })
    .describe('What it is, as its sender says: `application/pdf`. Downloads are always `application/octet-stream`.'),
  size: field.whole(1, LARGEST).describe('How many bytes it has.'),
  sha256: field
    .bounded(64)
    .regex(/^[\da-f]{64}$/, { error: 'must be 64 hexadecimal digits in lower case' })
    .describe('Its SHA-256 digest, in hexadecimal digits. Other bytes are refused.'),
  is_internal: isInternal(),
  created_at: readOnly(field.timestamp()),
  uploaded_at: readOnly(
    field.timestamp().nullable().describe('When its upload was completed; null before. Lists have it from then on.'),
  ),
  ...onRequest(links()),
})).describe('A file that belongs to a ticket. Its bytes go to and come from a store of objects, by URLs.');
export type Attachment = RecordOf<typeof attachment>;

const example = {
  id: 'c1d5a7b2-5b1e-4c47-9d0a-7e2f4b6a8c13',
  ticket_id: '84b6353b-046d-4b3f-9a51-6c0d2e4f8a17',
  name: 'receipt.txt',
  media_type: 'text/plain',
  size: 5,
  sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  is_internal: false,
  created_at: '2026-11-20T09:30:00.000Z',
  uploaded_at: '2026-11-20T09:30:02.000Z',
};

const LIST = '/api/v1/tickets/{id}/attachments';
const ITEM = `${LIST}/{attachment_id}` as const;
const ofTicket = () => ({ id: field.reference('Ticket') });
const ofAttachment = () => ({
  ...ofTicket(),
  attachment_id: field.reference('Attachment').describe('Names the attachment.'),
});

export const attachments = contract({
  name: 'attachments',
  tag: 'Attachments',
  description: 'Files that belong to tickets. They take the permissions of tickets.',
  routes: {
    listAttachments: route('GET', LIST, {
      summary: 'List the attachments of a ticket',
      description: 'Those that were uploaded, in order of creation.',
      extension: true,
      permission: 'tickets:read',
      params: ofTicket,
      query: () => ({
        ...parameter.cursor(),
        page_size: parameter.limit(WHOLE_LIST, WHOLE_LIST).describe('How many attachments a response has.'),
      }),
      response: wholeListOf(attachment, 'The attachments of the ticket.', example),
      errors: ['not-found'],
    }),
    createAttachment: route('POST', LIST, {
      summary: 'Announce an attachment',
      description:
        `Send its bytes to \`upload\` within ${UPLOAD.minutes} minutes, and complete it within an hour; else it is ` +
        `dropped. A ticket has at most ${MOST_OF_TICKET}, and all of an organization have a bound in bytes, to which ` +
        'announced ones count: 409 beyond.',
      extension: true,
      permission: 'tickets:write',
      params: ofTicket,
      body: attachment.create,
      bodyExample: { name: example.name, media_type: example.media_type, size: example.size, sha256: example.sha256 },
      response: created(attachment, 'The announced attachment, and where its bytes go.', {
        ...example,
        uploaded_at: null,
        upload: {
          url: `${BUCKET}?X-Amz-Signature=…`,
          method: 'PUT',
          headers: { 'x-amz-checksum-sha256': 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=', 'if-none-match': '*' },
          expires_at: '2026-11-20T09:45:00.000Z',
        },
      }),
      errors: ['not-found', 'conflict'],
    }),
    getAttachment: route('GET', ITEM, {
      summary: 'Read an attachment, and where its bytes are',
      extension: true,
      permission: 'tickets:read',
      params: ofAttachment,
      response: ok(attachment, 'The attachment.', {
        ...example,
        download: { url: `${BUCKET}?X-Amz-Signature=…`, expires_at: '2026-11-20T09:36:00.000Z' },
      }),
      errors: ['not-found'],
    }),
    completeAttachment: route('POST', `${ITEM}/complete`, {
      summary: 'Complete an upload',
      description: 'Where its bytes have not arrived it is a 409; a completed one is returned as it is.',
      extension: true,
      permission: 'tickets:write',
      params: ofAttachment,
      response: ok(attachment, 'The attachment.', example),
      errors: ['not-found', 'conflict'],
    }),
    deleteAttachment: route('DELETE', ITEM, {
      summary: 'Delete an attachment',
      extension: true,
      permission: 'tickets:write',
      params: ofAttachment,
      response: noContent('The attachment is deleted.'),
      errors: ['not-found'],
    }),
  },
});
