//! The protocol: which tools there are, and calls of them, over standard input and output.
//!
//! It never writes anything else to standard output, and keeps nothing between calls.
//!
//! Source: Model Context Protocol, "Transports", "stdio".

use std::pin::pin;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{QuitReason, RequestContext, RoleServer, ServerInitializeError};
use rmcp::transport::io::stdio_pipes;
use rmcp::{ErrorData, ServerHandler, ServiceExt};

use crate::arguments::target;
use crate::client::ApiClient;
use crate::outcome::Outcome;
use crate::tools::{Catalogue, RouteTool};

/// Why a session ended otherwise than by its client or the shutdown signal.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client does not speak the protocol.
    #[error("the client began with no session: {0}")]
    Begin(#[from] Box<ServerInitializeError>),
    /// A task of the session panicked.
    #[error("the session failed: {0}")]
    Session(#[from] tokio::task::JoinError),
}

/// Serves one client on standard input and output until it closes its end, or until the shutdown signal.
///
/// # Errors
/// [`ServeError`].
pub async fn serve(client: ApiClient, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
    let mut shutdown = pin!(shutdown);
    let begun = ToolServer::new(client).serve(stdio_pipes());
    let session = tokio::select! {
        begun = begun => match begun {
            // The client has left before it began.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            begun => begun.map_err(Box::new)?,
        },
        () = &mut shutdown => return Ok(()),
    };
    let stop = session.cancellation_token();
    let mut ended = pin!(session.waiting());
    let reason = tokio::select! {
        reason = &mut ended => reason?,
        () = &mut shutdown => {
            // What is being answered is still answered, for two seconds at most.
            stop.cancel();
            ended.await?
        }
    };
    match reason {
        QuitReason::JoinError(error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// The tools of one session.
struct ToolServer {
    catalogue: Catalogue,
    client: Arc<ApiClient>,
}

impl ToolServer {
    fn new(client: ApiClient) -> Self {
        Self { catalogue: Catalogue::compiled_in(), client: Arc::new(client) }
    }

    /// Asks the API, on a thread that may wait.
    async fn call(&self, tool: &RouteTool, request: CallToolRequestParams) -> Result<Outcome, ErrorData> {
        let target = match target(&tool.path, &request.arguments.unwrap_or_default()) {
            Ok(target) => target,
            Err(error) => return Ok(Outcome::Failed(error.to_string())),
        };
        let client = Arc::clone(&self.client);
        let asked = tokio::task::spawn_blocking(move || Outcome::of(client.url(), client.get(&target))).await;
        asked.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        let named = Implementation::new("arb", env!("CARGO_PKG_VERSION")).with_title("Arbitrage Board");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(named)
            .with_instructions(&self.catalogue.instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.catalogue.tools.iter().map(described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params(format!("there is no tool {}", request.name), None);
        let tool = self.catalogue.get(&request.name).ok_or_else(unknown)?;
        Ok(match self.call(tool, request).await? {
            Outcome::Json(answer) => CallToolResult::structured(answer).into(),
            Outcome::Failed(text) => CallToolResult::error(vec![ContentBlock::text(text)]).into(),
        })
    }
}

/// A tool as the protocol lists it.
fn described(tool: &RouteTool) -> Tool {
    let hints = ToolAnnotations::new().read_only(tool.is_read_only).destructive(false).open_world(true);
    Tool::new(tool.name, tool.description.clone(), tool.input.clone())
        .with_raw_output_schema(Arc::new(tool.output.clone()))
        .with_annotations(hints)
}
