//! Which rows a path has: the route table, indexed by pattern once.
//!
//! Nothing is allocated, and a literal segment has priority over a parameter. It never looks at the caller.

use crate::telemetry;
use warp::http::Method;

use super::deprecation::Deprecation;
use super::options;
use super::pattern;
use super::problem::Problem;
use super::route::Route;

/// The table.
pub(super) struct Router<S: 'static> {
    /// Those without parameters first.
    paths: Vec<PathRoutes<S>>,
    /// The label under which all paths that match no pattern are counted, so that unknown paths add no label
    /// values.
    other: telemetry::RouteMeters,
}

/// The rows of one pattern.
pub(super) struct PathRoutes<S: 'static> {
    pub(super) pattern: &'static str,
    has_parameter: bool,
    routes: Vec<&'static Route<S>>,
    /// The methods, as the header `Allow` lists them.
    pub(super) allow: String,
    meters: telemetry::RouteMeters,
}

impl<S: 'static> Router<S> {
    /// Of these rows.
    pub(super) fn new(routes: &'static [Route<S>]) -> Self {
        let mut paths: Vec<PathRoutes<S>> = Vec::new();
        for (pattern, route) in
            routes.iter().flat_map(|route| route.patterns().map(move |path| (path, route)))
        {
            match paths.iter_mut().find(|path| path.pattern == pattern) {
                Some(path) => path.add(route),
                None => paths.push(PathRoutes::new(pattern, route)),
            }
        }
        paths.sort_by_key(|path| path.has_parameter);
        Self { paths, other: telemetry::RouteMeters::new("other") }
    }

    /// The rows of a path, if it is one of the table's.
    pub(super) fn find(&self, path: &str) -> Option<&PathRoutes<S>> {
        self.paths.iter().find(|routes| routes.matches(path))
    }

    /// By what requests to a path are counted.
    pub(super) fn meters<'a>(&'a self, path: Option<&'a PathRoutes<S>>) -> &'a telemetry::RouteMeters {
        path.map_or(&self.other, |path| &path.meters)
    }
}

impl<S: 'static> PathRoutes<S> {
    fn new(pattern: &'static str, route: &'static Route<S>) -> Self {
        let (routes, allow) = (Vec::new(), String::new());
        let meters = telemetry::RouteMeters::new(pattern);
        let mut path = Self { pattern, has_parameter: pattern.contains('{'), routes, allow, meters };
        path.add(route);
        path
    }

    fn add(&mut self, route: &'static Route<S>) {
        self.routes.push(route);
        let methods = self.routes.iter().flat_map(|route| match *route.method() {
            Method::GET if route.answers_head => vec!["GET", "HEAD"],
            _ => vec![route.method().as_str()],
        });
        self.allow = methods.chain([options::NAME]).collect::<Vec<_>>().join(", ");
    }

    fn matches(&self, path: &str) -> bool {
        if self.has_parameter { pattern::matches(self.pattern, path) } else { self.pattern == path }
    }

    /// The row of a method; HEAD has that of GET.
    ///
    /// # Errors
    /// 405, with the methods that there are.
    pub(super) fn route(&self, method: &Method) -> Result<&'static Route<S>, Problem> {
        let is_head = method == Method::HEAD;
        let method = if is_head { &Method::GET } else { method };
        let answers = |route: &&Route<S>| route.method() == method && (route.answers_head || !is_head);
        let route = self.routes.iter().copied().find(answers);
        route.ok_or_else(|| Problem::method_not_allowed(&self.allow))
    }

    /// What is deprecated of the row of a method.
    pub(super) fn deprecations(&self, method: &Method) -> &'static [Deprecation] {
        if self.routes.iter().all(|route| route.deprecations.is_empty()) {
            return &[];
        }
        self.route(method).map_or(&[], |route| route.deprecations)
    }
}
