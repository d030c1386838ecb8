'use client';

import { useMutation } from '@tanstack/react-query';

type Sent = { message_id: string };
type Answer = {
  data: Sent | null;
  error: { code: string; message: string; details: object | null } | null;
  meta: { request_id: string };
};
type Options = { onSuccess?: (sent: Sent) => void; onError?: (error: Error) => void };

/** A message with its attachments goes through the door made for large bodies, POST /send, with the session's cookie. */
export function useSendMessage(options: Options) {
  return useMutation<Sent, Error, object>({ ...options, mutationFn: sendMessage });
}

class RefusedError extends Error {
  constructor(
    message: string,
    readonly data: { apiCode: string; details: object | null; requestId: string; httpStatus: number },
  ) {
    super(message);
  }
}

async function sendMessage(message: object): Promise<Sent> {
  const response = await fetch('/api/v1/send', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  });
  const { data, error, meta }: Answer = await response.json();
  if (data) return data;
  throw new RefusedError(error?.message ?? 'The server could not answer this request.', {
    apiCode: error?.code ?? 'INTERNAL_ERROR',
    details: error?.details ?? null,
    requestId: meta.request_id,
    httpStatus: response.status,
  });
}
