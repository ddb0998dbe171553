import { pipeline } from '#http';
import { attachments } from '../tickets/attachments/contract.ts';
import { attachmentOperations } from '../tickets/attachments/operations.ts';

export const handler = pipeline(attachments, attachmentOperations);
