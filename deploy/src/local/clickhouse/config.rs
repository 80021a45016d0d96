//! The settings of a local server: what it listens to, how much it may take, where it logs.
//!
//! It holds no password. Nothing is sent to anybody, and nothing grows without a bound.

use std::path::Path;

/// Where it listens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ports {
    pub(super) http: u16,
    pub(super) native: u16,
}

/// The configuration file. Small pools: the machine also runs Kafka and all roles.
pub(super) fn xml(folder: &Path, users: &Path, ports: Ports) -> String {
    let (folder, users, Ports { http, native }) = (escaped(folder), escaped(users), ports);
    format!(
        "<clickhouse>
  <path>{folder}/data/</path>
  <users_config>{users}</users_config>
  <user_directories><users_xml><path>{users}</path></users_xml></user_directories>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port>
  <tcp_port>{native}</tcp_port>
  <logger>
    <level>information</level>
    <log>{folder}/clickhouse.log</log>
    <errorlog>{folder}/clickhouse.err.log</errorlog>
    <size>10M</size>
    <count>2</count>
  </logger>
  <max_server_memory_usage>2147483648</max_server_memory_usage>
  <mark_cache_size>134217728</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <max_connections>256</max_connections>
  <max_concurrent_queries>64</max_concurrent_queries>
  <max_thread_pool_size>500</max_thread_pool_size>
  <background_pool_size>2</background_pool_size>
  <background_merges_mutations_concurrency_ratio>2</background_merges_mutations_concurrency_ratio>
  <background_schedule_pool_size>4</background_schedule_pool_size>
  <background_move_pool_size>1</background_move_pool_size>
  <background_fetches_pool_size>1</background_fetches_pool_size>
  <background_common_pool_size>2</background_common_pool_size>
  <merge_tree>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>2</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_mutation>2</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>2</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
  </merge_tree>
  <access_control_improvements>
    <settings_constraints_replace_previous>true</settings_constraints_replace_previous>
    <select_from_system_db_requires_grant>true</select_from_system_db_requires_grant>
    <select_from_information_schema_requires_grant>true</select_from_information_schema_requires_grant>
    <table_engines_require_grant>true</table_engines_require_grant>
  </access_control_improvements>
  <send_crash_reports><enabled>false</enabled></send_crash_reports>
</clickhouse>
"
    )
}

fn escaped(path: &Path) -> String {
    path.display().to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
