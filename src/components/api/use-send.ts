'use client';

import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';

type Sent = { message_id: string };

type BatchItem = { index: number; message_id?: string; error?: string; code?: string };

export type BatchSent = { total: number; succeeded: number; failed: number; results: BatchItem[] };

type Options<Result> = { onSuccess?: (result: Result) => void; onError?: (error: Error) => void };

export function useSendMessage(options: Options<Sent>) {
  return useRestSend<Sent>('/send', options);
}

export function useSendBatch(options: Options<BatchSent>) {
  return useRestSend<BatchSent>('/send/batch', options);
}

/**
 * Sends through REST, which accepts large bodies, with the session's cookie. A retry of the same message after a lost
 * response has the same Idempotency-Key, so nothing is sent twice.
 */
function useRestSend<Result>(path: string, options: Options<Result>) {
  const attempt = useRef<{ body: string; key: string } | null>(null);
  return useMutation<Result, Error, object>({
    ...options,
    mutationFn: async (message) => {
      const body = JSON.stringify(message);
      if (attempt.current?.body !== body) attempt.current = { body, key: newKey() };
      const result = await post<Result>(path, body, attempt.current.key);
      attempt.current = null;
      return result;
    },
  });
}

class ApiError extends Error {
  constructor(
    message: string,
    readonly data: { apiCode: string; details: object | null; requestId: string; httpStatus: number },
  ) {
    super(message);
  }
}

type ApiResponse<Result> = {
  data: Result | null;
  error: { code: string; message: string; details: object | null } | null;
  meta: { request_id: string };
};

async function post<Result>(path: string, body: string, idempotencyKey: string): Promise<Result> {
  const response = await fetch(`/api/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body,
  });
  const { data, error, meta }: ApiResponse<Result> = await response.json();
  if (data) return data;
  throw new ApiError(error?.message ?? 'The server couldn’t process this request.', {
    apiCode: error?.code ?? 'INTERNAL_ERROR',
    details: error?.details ?? null,
    requestId: meta.request_id,
    httpStatus: response.status,
  });
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
