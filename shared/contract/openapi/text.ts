/** The OpenAPI document as text, so that the served bytes are the committed ones. */
export const documentText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
