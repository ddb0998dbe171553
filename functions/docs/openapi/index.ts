export { describedBy, documentText, openApiDocument } from './document.ts';
export { type ExampleRequest, exampleRequestsOf, GIVEN, NEW } from './example-requests.ts';
export { problemExample } from './problems.ts';
