import { isValidElement } from 'react';
import { expect, it } from 'vitest';
import type { AuditEntry } from '../schema';
import { auditColumns } from './audit-columns';

function actorOf(over: Partial<AuditEntry>): unknown {
  const entry = { admin_email: null, api_key_id: null, user_agent: '', details: {}, ...over } as AuditEntry;
  const cell = auditColumns(true, () => {})
    .find(({ key }) => key === 'actor')
    ?.cell(entry);
  return isValidElement<{ children: unknown }>(cell) ? cell.props.children : cell;
}

it('names the command line as the actor by the entry’s source, which no request can set', () => {
  expect(actorOf({ details: { source: 'command_line' } })).toBe('Command line');
  expect(actorOf({ user_agent: 'command line' })).toBe('Not signed in');
  expect(actorOf({ admin_email: 'ann@here.example', api_key_id: 'x' })).toBe('ann@here.example (API key)');
});
