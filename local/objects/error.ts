/** The errors of S3 that the store has (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */
const ERRORS = {
  AccessDenied: [403, 'Access Denied'],
  BadDigest: [400, 'The sha256 you specified did not match the calculated checksum.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';
  readonly status: number;
  readonly xml: string;

  constructor(code: keyof typeof ERRORS, message: string = ERRORS[code][1]) {
    super(message);
    this.status = ERRORS[code][0];
    const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    this.xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message></Error>`;
  }
}
