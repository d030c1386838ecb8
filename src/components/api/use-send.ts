'use client';

import { useMutation } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import { useRef } from 'react';
import type { AppRouter } from '@/modules/router';
import { ApiError, readResponse } from './problem';

type Outputs = inferRouterOutputs<AppRouter>['sending'];
type Sent = Outputs['send'];
type Resent = Outputs['resend'];
export type BatchSent = Outputs['sendBatch'];

export function useSendMessage() {
  return useRestSend<Sent>('/send');
}

export function useResendMessage(id: string) {
  return useRestSend<Resent>(`/messages/${id}/resend`);
}

export function useSendBatch() {
  return useRestSend<BatchSent>('/send/batch');
}

/**
 * Sends through REST with the session's cookie. Not through tRPC like everything else: its bodies are held and parsed at
 * once, so they are limited to 1 MB. A retry of the same message after a lost
 * response has the same Idempotency-Key, so nothing is sent twice.
 */
function useRestSend<Result>(path: string) {
  const attempt = useRef<{ body: string; key: string } | null>(null);
  return useMutation<Result, Error, object>({
    // The module whose records it makes.
    mutationKey: [['messages', path]],
    mutationFn: async (message) => {
      const body = JSON.stringify(message);
      if (attempt.current?.body !== body) attempt.current = { body, key: newKey() };
      const result = await post<Result>(path, body, attempt.current.key);
      attempt.current = null;
      return result;
    },
  });
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
  const isOwn = (body: ApiResponse<Result>) => body.meta !== undefined;
  const { data, error, meta } = await readResponse(response, isOwn);
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
