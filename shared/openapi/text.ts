/** The OpenAPI document as the text of `openapi.json`. */
export const documentText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
