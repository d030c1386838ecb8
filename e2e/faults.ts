import type { Page, Route } from '@playwright/test';

type Fault = { status: number; code: string; message: string; details?: object | null };

export const REQUEST_ID = '01a1fc2e-7c5e-77e9-8b47-7ed1e0f6aa07';

/** Lets one procedure of the console fail, also where it is one call of a batch. @returns how to end that */
export function failProcedure(page: Page, procedure: string, fault: Fault): Promise<() => Promise<void>> {
  const { status, code, message, details = null } = fault;
  const data = { apiCode: code, details, requestId: REQUEST_ID, httpStatus: status };
  return replaceAnswer(page, procedure, status, { error: { message, code: -32603, data } });
}

/** Has one procedure of the console answer what depends on more than the app. @returns how to end that */
export function answerProcedure(page: Page, procedure: string, data: object): Promise<() => Promise<void>> {
  return replaceAnswer(page, procedure, 200, { result: { data } });
}

async function replaceAnswer(page: Page, procedure: string, status: number, replacement: object) {
  const pattern = '**/api/trpc/**';
  const answer = async (route: Route) => {
    const names = decodeURIComponent(new URL(route.request().url()).pathname).split('/').at(-1)?.split(',') ?? [];
    if (!names.includes(procedure)) return route.fallback();
    if (names.length === 1) return route.fulfill({ status, json: [replacement] });
    const response = await route.fetch();
    const answers: object[] = await response.json();
    const json = answers.map((own, index) => (names[index] === procedure ? replacement : own));
    return route.fulfill({ response, status: 207, json });
  };
  await page.route(pattern, answer);
  return () => page.unroute(pattern, answer);
}

/** What REST answers when it fails. */
export function envelope({ code, message, details = null }: Fault) {
  const meta = { request_id: REQUEST_ID, timestamp: new Date().toISOString(), pagination: null };
  return { data: null, error: { code, message, details }, meta };
}
