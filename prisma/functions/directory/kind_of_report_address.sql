-- Returns what mail to a local part is read as: `dmarc`, `tls`, `complaint`, `unsubscribe`
-- or `bounce`, or null if it is an ordinary address. A bounce address
-- has the id of a message and a signature, which src/modules/messages/returned checks. The same names are in
-- src/lib/mail/report-addresses.ts.
-- Called by mta.resolve, mta.rcpt_access, mta.report_transport and mta.sender_logins.
CREATE OR REPLACE FUNCTION kind_of_report_address(local text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE lower(local) WHEN 'dmarc-reports' THEN 'dmarc' WHEN 'tls-reports' THEN 'tls' WHEN 'complaint-reports' THEN 'complaint'
            WHEN 'unsubscribe-requests' THEN 'unsubscribe'
            ELSE CASE WHEN lower(local) ~ '^bounces\+[0-9a-f]{52}$' THEN 'bounce' END END;
