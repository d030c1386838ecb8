/** The columns of each table of an archive after all migrations, in alphabetical order. Other tables of the database are someone else's. */
export const OWN_TABLES: Readonly<Record<string, string>> = {
  abuse_threshold: 'domain_hourly id mailbox_hourly spike_factor updated_at',
  admin:
    'created_at email id last_login_at password_changed_at password_hash role time_zone totp_enabled totp_last_step totp_secret updated_at',
  admin_domain: 'admin_id domain_id',
  alert:
    'acknowledged_at closed_at count created_at day domain_id expected id is_resolved kind mailbox_id notified_at severity status subject text updated_at',
  alert_email: 'alert_id change created_at missing sent_at',
  alert_mute: 'created_at created_by created_by_email domain_id ends_at id kind reason severity subject',
  alias: 'active created_at destination destination_keys domain_id id search_key source_local_part updated_at',
  analytics_breakdown: 'at count dimension domain_id level status value',
  analytics_change:
    'api_key_id at category delivery_bin delta direction domain_id id recipient_domain sender smtp_code status tags',
  analytics_count: 'at count direction domain_id level status',
  analytics_delivery: 'at bin count domain_id level',
  api_key:
    'admin_id allowed_ips ancestor_ids created_at expires_at id key_hash key_prefix last_used_at name parent_id permissions rate_limit scoped_domain_ids senders written_to',
  audit_archived: 'archived_at hash id seq signature',
  audit_entry:
    'action admin_email admin_id api_key_id created_at details domain_id hash id ip_address outcome prev_hash request_id resource sealed_at search_key seq user_agent',
  audit_head: 'hash id sealed_at seq signature',
  audit_verified: 'hash id seq signature verified_at',
  counted_send: 'address at domain_id id',
  deleted_record: 'deleted_at deleted_by_email deleted_by_id domain_id id kind name',
  deleted_row: 'position record_id row table',
  denied_attempt:
    'account action admin_email admin_id api_key_id attempts code domain_id first_at ip_address last_at network request_id resource resources user_agent',
  dkim_key:
    'activated_at algorithm created_at domain_id id private_key public_key published_at retired_at selector status',
  dmarc_day:
    'aligned day dkim_aligned domain_id is_trusted messages organisation quarantined rejected reports spf_aligned unknown',
  dmarc_report:
    'aligned begin_at domain_id email end_at errors fingerprint id is_authenticated is_truncated left_out messages organisation policy received_at report_id row_count sender_domain source unknown',
  dmarc_row:
    'disposition dkim dmarc_report_id envelope_from envelope_to header_from ip is_dkim_aligned is_spf_aligned messages position reasons spf',
  dmarc_source_day:
    'aligned day dkim_aligned dkim_domains domain_id first_seen_at ip is_trusted last_seen_at messages quarantined rejected spf_aligned spf_domains unknown',
  dns_change: 'after at before domain_id id name purpose status type',
  dns_check: 'check_id domain_id records started_at total',
  dns_record:
    'authoritative changed_at checked_at domain_id expected fix found inherited_from message name position purpose required severity status ttl_seconds type',
  domain:
    'active created_at default_quota_bytes description dkim_selector dmarc_policy dns_checked_at dns_status hourly_send_limit id max_aliases max_mailboxes mta_sts_mode name next_dns_check_at other_mx_hosts report_mailbox_id sign_ins_valid_from updated_at verified_at',
  dropped_bounce: 'count domain_id id last_at reason',
  dropped_report: 'count domain_id kind last_at reason',
  event: 'body body_bytes created_at domain_id id is_test message_row_id recipient sequence type',
  event_part: 'bytes event_id position',
  idempotency_key: 'caller_id created_at fingerprint id key lease_token leased_until response',
  inbound_delivery: 'addressed_to at is_forwarded queue_id recipient reported_at',
  limited_send: 'address at domain_id id',
  logged_mail: 'client_address login mail_from message_id queue_id raw removed_at seen_at size_bytes verdict',
  mail_cursor: 'complete_since file position source',
  mailbox:
    'active created_at display_name domain_id id local_part password_changed_at password_hash percent_full quota_bytes rate_counted_from search_key sign_ins_valid_from suspended_at suspension_note suspension_reason updated_at used_bytes',
  message:
    'api_key_id batch_index copy_addresses created_at direction domain_id from_address id idempotency_key_id message_id metadata queue_id search_key send_at size_bytes spam_score status subject tags template to_addresses updated_at',
  message_content:
    'domain_id lease_token leased_until message_id object_name raw_bytes reason state store_id stored_at stored_bytes',
  message_event: 'at detail id message_id recipient type',
  message_recipient:
    'address category cause created_at delivered_at enhanced_code id kind message_id response route smtp_code status',
  message_retention: 'complete_since delete_before deleted_count deleted_until finished_at id started_at',
  message_tag: 'created_at message_id tag',
  message_total: 'count direction status',
  oidc_identity: 'admin_id created_at issuer provider_id subject',
  operation:
    'action api_key_id created_at dry_run finished_at host id input ip_address lane lease_token leased_until message request_id requested_by_email requested_by_id service started_at state',
  operation_line: 'at kind number operation_id text',
  recovery_code: 'admin_id code_hash',
  report_host: 'hostname ip looked_up_at next_lookup_at organisation seen_at',
  saved_setting: 'key updated_at updated_by_email updated_by_id value',
  saved_view: 'admin_id created_at id name page query updated_at',
  scheduled_message: 'admin_id data_at is_transactional lease_token list message_id next_attempt_at raw_bytes',
  scheduled_part: 'bytes message_id position',
  setting_change: 'admin_email admin_id after at before id key',
  sieve_filter: 'active created_at domain_id id mailbox_id name position scope script updated_at',
  sign_in_device: 'admin_id last_used_at secret_hash',
  sign_in_failure: 'account failures updated_at wait_until',
  suppression: 'created_at created_by detail domain_id email expires_at id list reason search_key source_message_id',
  template:
    'created_at digest domain_id html_body id name published_at published_digest published_version sample_data subject text_body updated_at variables',
  template_version: 'created_at digest html_body id number published_by_email subject template_id text_body variables',
  tls_failure:
    'additional_information mx_host position reason_code receiving_helo receiving_ip result_type sending_ip sessions tls_report_id',
  tls_report:
    'begin_at contact day domain_id end_at failed_sessions fingerprint id is_authenticated is_truncated left_out organisation policies received_at report_id row_count sender_domain sessions source',
  unread_bounce: 'address domain_id id raw received_at size_bytes',
  webhook:
    'active created_at created_by domain_id events failing_since failures_in_row id name previous_secret previous_secret_until secret updated_at url',
  webhook_attempt: 'answer delivery_id duration_ms failure number remote_address started_at status_code',
  webhook_delivery:
    'attempt_count created_at event_id failure_count finished_at id lease_node lease_token next_attempt_at status webhook_id',
};

export const OWN_SEQUENCES: readonly string[] = ['event_sequence', 'analytics_change_id_seq'];
