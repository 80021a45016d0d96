//! Browsers that sign up and sign in, and what they alone may change.

use super::{Row, done};
use crate::http::operation::Content::{Empty, Json};
use crate::http::operation::{delete, get, post, put};
use crate::resources::session;

pub(super) const ROWS: [Row; 6] = [
    Row::session(
        post("/session/signup", "signUp", "Creates an account.", &[(201, Json("NewAccount"))])
            .with_body("Credentials", session::MAX_BODY),
        |to, request| to.session.sign_up(request),
    ),
    Row::session(
        post("/session", "logIn", "Begins a session.", &[(200, Json("Session"))])
            .with_body("Credentials", session::MAX_BODY),
        |to, request| to.session.log_in(request),
    ),
    Row::session(get("/session", "showSession", "The session.", &[(200, Json("Session"))]), |to, request| {
        done(to.session.show(request))
    }),
    Row::session(delete("/session", "logOut", "Ends the session.", &[(204, Empty)]), |to, request| {
        to.session.log_out(request)
    }),
    Row::session(
        put(
            "/session/bankroll",
            "setBankroll",
            "Sets the bankroll of the account, its currency and its rounding.",
            &[(200, Json("Bankroll"))],
        )
        .with_body("Bankroll", session::MAX_BODY),
        |to, request| to.session.set_bankroll(request),
    ),
    Row::session(
        post(
            "/session/password",
            "changePassword",
            "Changes the password; other sessions end.",
            &[(200, Json("Session"))],
        )
        .with_body("PasswordChange", session::MAX_BODY),
        |to, request| to.session.change_password(request),
    ),
];
