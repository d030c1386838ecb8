import { tellOtherTabs } from '@/components/api/other-tabs';
import { ApiError, readResponse } from '@/components/api/problem';

type Answer<Result> = { result?: { data: Result }; error?: { message: string; data: ApiError['data'] } };

/**
 * Calls a mutation without the console's tRPC client, which the pages before sign-in don't load. As with the client, other tabs learn of
 * it.
 * @throws {ApiError} when the call fails, and another error when the response isn't the API's
 */
export async function callProcedure<Result>(procedure: string, input: object): Promise<Result> {
  const response = await fetch(`/api/trpc/${procedure}?batch=1`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ 0: input }),
  });
  const [answer] = await readResponse<Answer<Result>[]>(response, Array.isArray);
  if (answer?.result) {
    tellOtherTabs(procedure.slice(0, procedure.indexOf('.')));
    return answer.result.data;
  }
  throw answer?.error ? new ApiError(answer.error.message, answer.error.data) : new Error('The response is empty.');
}
