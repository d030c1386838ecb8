-- Alerts that were left open when their domain or webhook was deactivated or deleted.
UPDATE alert a SET status = 'closed', closed_at = now(), is_resolved = true, updated_at = now()
 WHERE a.status <> 'closed'
   AND (   (a.kind = 'dns_broken' AND NOT EXISTS (SELECT FROM domain d WHERE d.name = a.subject AND d.active))
        OR (a.kind = 'webhook_failing' AND NOT EXISTS (SELECT FROM webhook w WHERE w.active AND a.subject LIKE '%(' || w.id || ')')));

-- The others have the numbers of when they were opened.
UPDATE alert a SET count = w.failures_in_row, updated_at = now()
  FROM webhook w
 WHERE a.kind = 'webhook_failing' AND a.status <> 'closed' AND a.subject LIKE '%(' || w.id || ')' AND w.failures_in_row > 0;
UPDATE alert a SET count = r.broken, updated_at = now()
  FROM domain d
 CROSS JOIN LATERAL (SELECT count(*)::int AS broken FROM dns_record
                      WHERE domain_id = d.id AND required AND severity = 'error') r
 WHERE a.kind = 'dns_broken' AND a.status <> 'closed' AND a.subject = d.name AND r.broken > 0;
