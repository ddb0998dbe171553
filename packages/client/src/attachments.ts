import { hexOf } from './hex.ts';
import { CustodiaProblem } from './problem.ts';
import type { Attachment } from './schema.ts';
import type { Call } from './types.ts';

export interface UploadOptions {
  /** That of the file unless told. */
  readonly name?: string;
  /** That of the file unless told: `application/pdf`. */
  readonly mediaType?: string;
  readonly isInternal?: boolean;
  readonly signal?: AbortSignal;
}

/** Sends a request to the store of objects, without a token. */
type SendToStore = (request: Request) => Promise<Response>;

/** The file was uploaded before: by an attempt whose response was lost. */
const THERE_ALREADY = 412;

/** Announces a file, sends its bytes to the store of objects, and completes it. */
export const uploadWith =
  (POST: Call<'post'>, send: SendToStore) =>
  async (
    ticketId: string,
    file: Blob & { readonly name?: string },
    options: UploadOptions = {},
  ): Promise<Attachment> => {
    const { name = file.name ?? '', mediaType = file.type, isInternal = false, signal } = options;
    const bytes = await file.arrayBuffer();
    const [media_type = ''] = (mediaType || 'application/octet-stream').split(';');
    const body = { name, media_type, size: bytes.byteLength, sha256: await digestOf(bytes), is_internal: isInternal };
    const given = signal ? { signal } : {};
    const announcing = { params: { path: { id: ticketId } }, body, ...given };
    const { data } = await POST('/api/v1/tickets/{id}/attachments', announcing);
    const { id, upload } = data;
    if (upload === undefined) throw new TypeError('the response to the creation has no upload');
    const { url, method, headers } = upload;
    const response = await send(new Request(url, { method, headers, body: bytes, ...given }));
    if (!response.ok && response.status !== THERE_ALREADY) throw new CustodiaProblem(response, undefined);
    const completing = { params: { path: { id: ticketId, attachment_id: id } }, ...given };
    return (await POST('/api/v1/tickets/{id}/attachments/{attachment_id}/complete', completing)).data;
  };

/** Finds where an attachment is, and gets its bytes. */
export const downloadWith =
  (GET: Call<'get'>, send: SendToStore) =>
  async (ticketId: string, attachmentId: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Blob> => {
    const given = signal ? { signal } : {};
    const init = { params: { path: { id: ticketId, attachment_id: attachmentId } }, ...given };
    const { data } = await GET('/api/v1/tickets/{id}/attachments/{attachment_id}', init);
    if (data.download === undefined) throw new TypeError('the attachment was not uploaded yet');
    const response = await send(new Request(data.download.url, given));
    if (!response.ok) throw new CustodiaProblem(response, undefined);
    return response.blob();
  };

const digestOf = async (bytes: ArrayBuffer): Promise<string> => hexOf(await crypto.subtle.digest('SHA-256', bytes));
