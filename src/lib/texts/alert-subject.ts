type Subject = { kind: string; subject: string; mailboxId: string | null; domainId: string | null };

/** Returns the subject of alerts about a webhook. It omits the path, which may be a password: more admins can read alerts than webhooks. */
export function webhookSubject({ id, url }: { id: string; url: string }): string {
  return `${new URL(url).host} (${id})`;
}

/** The webhook's host instead of webhookSubject; any other subject as it is. */
export function shownSubject({ kind, subject }: Pick<Subject, 'kind' | 'subject'>): string {
  return kind === 'webhook_failing' ? subject.replace(/ \([0-9a-f-]{36}\)$/, '') : subject;
}

/** Whether an alert is about a check of the system. */
export function isAboutSystem(kind: string): boolean {
  return kind === 'system_down' || kind === 'system_degraded';
}

/** The page of what an alert is about; null if it has none. */
export function subjectPath({ kind, subject, mailboxId, domainId }: Subject): string | null {
  if (isAboutSystem(kind)) return '/system/health';
  if (mailboxId) return `/mailboxes/${mailboxId}`;
  const webhookId = kind === 'webhook_failing' ? /\(([0-9a-f-]{36})\)$/.exec(subject)?.[1] : undefined;
  if (webhookId) return `/webhooks/${webhookId}`;
  return kind === 'dns_broken' && domainId ? `/domains/${domainId}` : null;
}
