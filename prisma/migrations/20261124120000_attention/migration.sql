-- What needs attention is read on every page of the console. Few rows do, so each index is small.
CREATE INDEX "domain_broken_idx" ON "domain"("name") WHERE active AND dns_status = 'error';
CREATE INDEX "mailbox_suspended_idx" ON "mailbox"("suspended_at", "domain_id") WHERE suspended_at IS NOT NULL;
CREATE INDEX "webhook_failing_idx" ON "webhook"("failing_since") WHERE active AND failures_in_row > 0;
