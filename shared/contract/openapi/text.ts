/** The one way the OpenAPI document is written, so that the bytes served are the bytes committed. */
export const documentText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
