import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '@/lib/error-codes';
import { document } from '../rest';

/** Endpoints and codes of the specification, listed by hand, so that none can go missing unnoticed. */
const ENDPOINTS = `
  POST /send, POST /send/batch
  GET /aliases, POST /aliases, GET /aliases/{id}, PATCH /aliases/{id}, DELETE /aliases/{id}
  POST /auth/login, GET /auth/me, POST /auth/logout, POST /auth/logout-all, POST /auth/totp/setup, POST /auth/totp/verify
  DELETE /auth/totp, GET /auth/sessions, DELETE /auth/sessions/{id}, GET /auth/oidc/providers
  GET /auth/oidc/login/{provider}, GET /auth/oidc/callback/{provider}, DELETE /auth/oidc/disconnect
  GET /admins, POST /admins, DELETE /admins/{id}
  GET /api-keys, POST /api-keys, DELETE /api-keys/{id}
  GET /audit, GET /audit/export
  POST /webhooks, GET /webhooks, DELETE /webhooks/{id}
  GET /health, GET /version
`;

const CODES = {
  400: `INVALID_JSON MISSING_FIELDS INVALID_PAGINATION INVALID_PERIOD INVALID_SENDER INVALID_HEADER EMPTY_BATCH BATCH_TOO_LARGE
        VALIDATION_ERROR ALIAS_CHAIN TOO_MANY_DESTINATIONS`,
  401: 'AUTH_REQUIRED SESSION_INVALID API_KEY_INVALID INVALID_CREDENTIALS TOTP_INVALID',
  403: 'FORBIDDEN API_KEY_DOMAIN_SCOPE DOMAIN_INACTIVE MAILBOX_SUSPENDED',
  404: 'NOT_FOUND DOMAIN_NOT_FOUND CONTENT_UNAVAILABLE',
  405: 'METHOD_NOT_ALLOWED',
  409: 'DOMAIN_EXISTS CONFLICT IDEMPOTENCY_CONFLICT ORCHESTRATOR_BUSY',
  412: 'VERSION_CONFLICT',
  413: 'PAYLOAD_TOO_LARGE MESSAGE_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'RECIPIENT_SUPPRESSED',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL_ERROR SEND_FAILED',
  503: 'SEND_UNAVAILABLE MAIL_STACK_UNAVAILABLE SERVICE_UNAVAILABLE',
};

/** Endpoints and codes of areas that aren't implemented yet. */
const PLANNED = {
  endpoints: [] as string[],
  codes: [] as string[],
};

const documented = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`),
);

describe('the specification', () => {
  it('has all its endpoints in the OpenAPI document', () => {
    const specified = ENDPOINTS.split(/[,\n]/).map((line) => line.trim());
    expect(specified.filter((endpoint) => endpoint !== '' && !documented.includes(endpoint))).toEqual([]);
    expect(PLANNED.endpoints.filter((endpoint) => documented.includes(endpoint))).toEqual([]);
  });

  it.each(Object.entries(CODES))('has its codes with status %s', (status, codes) => {
    for (const code of codes.split(/\s+/))
      expect([code, ERROR_STATUS[code as ErrorCode]]).toEqual([code, Number(status)]);
  });

  it('has no other codes', () => {
    const specified = Object.values(CODES).flatMap((codes) => codes.split(/\s+/));
    expect(Object.keys(ERROR_STATUS).toSorted()).toEqual(specified.toSorted());
    expect(PLANNED.codes.filter((code) => code in ERROR_STATUS)).toEqual([]);
  });

  it('has a test for each of its codes', () => {
    const asserted = testFiles().flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(ASSERTED)].map(([, code]) => code),
    );
    expect(Object.keys(ERROR_STATUS).filter((code) => !asserted.includes(code))).toEqual([]);
  });
});

// Assertions of a code: expectError(…, 'CODE'), { code: 'CODE' }, or a table row that ends with the code.
const ASSERTED =
  /(?:(?:\d{3}|[}\])]), |code: |'failed', |toBe\(|(?:status: \d{3}, .*)|toContain(?:Text)?\()'([A-Z_]{6,})/g;

function testFiles(): string[] {
  return ['src', 'e2e'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(test|spec)\.ts$/.test(name))
      .map((name) => join(folder, name)),
  );
}
