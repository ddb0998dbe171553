/** Largest attachment, in bytes. */
export const LARGEST = 25 * 1_048_576;

/** Most attachments of a ticket. */
export const MOST_OF_TICKET = 100;

/** How long an upload may begin after its creation. */
export const UPLOAD = { minutes: 15, seconds: 900, milliseconds: 900_000 } as const;

/** An announced attachment that is not completed by then is dropped, in milliseconds. */
export const DROPPED_AFTER = 3_600_000;

/** How long a download may begin. URLs of one minute are the same. */
export const DOWNLOAD = { minutes: 5, seconds: 360 } as const;

/** Bytes that the attachments of an organization may have, where `ATTACHMENT_QUOTA` sets no other number: 10 GB. */
const STANDARD = 10 * 1_073_741_824;

export function attachmentQuota(): number {
  const given = process.env.ATTACHMENT_QUOTA ?? '';
  return /^[1-9]\d{0,14}$/.test(given) ? Number(given) : STANDARD;
}
