# SPDX-License-Identifier: Apache-2.0
"""A phone and a tablet sync through nginx, which reloads and whose daemon restarts; browsers do through nginx and
Caddy; then the units, the backup, and several nodes."""

import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time

LIMIT_SECONDS = 30
PAGE = b"<!doctype html><title>Atrest</title>"
HEALTH, SERVING = "/grpc.health.v1.Health", b"\0\0\0\0\x02\x08\x01"
# An unencrypted server behind a proxy must be called by a name that does not denote this machine,
# so not by localhost.
NAMES = [socket.gethostname(), "ip6-localhost", "localhost.localdomain"]


def main():
    binaries, examples = map(pathlib.Path, sys.argv[1:3])
    is_long = "--long" in sys.argv[3:]
    # A short path keeps the daemon's socket path within its limit.
    with tempfile.TemporaryDirectory(prefix="atrest-") as folder:
        check_units(examples / "systemd", pathlib.Path(folder))
        check_planted_links(examples, pathlib.Path(folder))
        with Scene(binaries, examples, pathlib.Path(folder)) as scene:
            check_proxy(scene, is_long)
            check_browsers(scene)
            check_caddy(scene)
            check_backups(scene)
            check_certificates(scene)
            check_nodes(scene)


def check_proxy(scene, is_long):
    step("pairing and syncing through nginx")
    link = scene.owner("account", "add", "home").stdout.strip()
    if not scene.is_named:
        # This machine has no other name, so add the part of the link that requires TLS.
        link = link.replace(f"{scene.name}:{scene.port}/", f"{scene.name}:{scene.port}/ca/")
    assert f"{scene.name}:{scene.port}/ca/" in link, "the link names the proxy and its authority"
    phone, tablet = scene.device("phone"), scene.device("tablet")
    phone("pair", link, "--name", "phone")
    tablet("pair", phone("invite", "--yes").strip(), "--name", "tablet")
    phone("water", "add", "250ml")
    phone("sync")

    step("a certificate that no trusted authority signed is refused")
    stranger = scene.device("stranger", authorities="/dev/null")
    refused = stranger("pair", link.rpartition("/")[0] + "/BCDF-GHJKLMNP", fails=True)
    assert "certificate" in refused, refused

    step("a stream lives through a reload of nginx")
    with scene.watch("tablet") as watch:
        watch.await_news()  # The first sync is over. From here on the stream reports changes.
        scene.nginx.send_signal(signal.SIGHUP)
        await_that(lambda: scene.has_new_workers(), "nginx has new workers")
        phone("water", "add", "300ml")
        phone("sync")
        watch.await_news()
        if is_long:
            step("a stream lives through two minutes and a half of silence")
            time.sleep(150)
            assert watch.process.poll() is None
            phone("water", "add", "310ml")
            phone("sync")
            watch.await_news()

        step("a stream comes back after a restart of the daemon")
        scene.stop_daemon()
        failed = phone("sync", fails=True)
        assert failed, "what is wrong is said"
        scene.start_daemon()
        phone("water", "add", "350ml")
        phone("sync")
        watch.await_news()
    assert phone("replica", "dump") == tablet("replica", "dump"), "both hold the same"


def check_browsers(scene):
    """With HTTP/1.1, which only a proxy understands: the daemon gets HTTP/2 all the same."""
    step("a browser gets the app's files through the proxy")
    with scene.browser() as browser:
        page = browser("GET", "/", {"accept-encoding": "identity"})
        assert (page.status, page.body) == (200, PAGE), page
        assert page.headers["content-security-policy"].startswith("default-src 'self';")
        assert page.headers["cache-control"] == "no-cache"
        again = browser("GET", "/", {"if-none-match": page.headers["etag"]})
        assert (again.status, again.body) == (304, b"")
        head = browser("HEAD", "/")
        assert (head.status, head.body) == (200, b"")
        assert browser("GET", "/assets.json").status == 404

    step("a link that a device makes opens the app at the proxy")
    phone = scene.device("phone")
    link = json.loads(phone("invite", "--yes", "--json"))
    code = link["link"].rpartition("/")[2]
    assert link["web_link"] == f"https://{scene.name}:{scene.port}/#pair={code}", link

    step("a browser calls through the proxy, and hears a stream as it comes")
    empty = bytes(5)
    own = {"content-type": "application/grpc-web+proto", "sec-fetch-site": "same-origin"}
    with scene.browser() as browser:
        checked = browser("POST", f"{HEALTH}/Check", own, empty)
        assert (checked.status, checked.body) == (200, SERVING + b"\x80\0\0\0\x10grpc-status: 0\r\n")
    # nginx closes a connection after an answer that came before the request's body.
    with scene.browser() as browser:
        refused = browser("POST", "/atrest.sync.v1.Accounts/Get", own, empty)
        assert refused.status == 200 and refused.headers["grpc-status"] == "16", refused
    with scene.browser() as browser:
        foreign = browser("POST", f"{HEALTH}/Check", own | {"sec-fetch-site": "cross-site"}, empty)
        assert foreign.status == 403 and not foreign.headers["access-control-allow-origin"]
    with scene.browser() as browser:
        late = browser("POST", f"{HEALTH}/Watch", own | {"grpc-timeout": "300m"}, empty)
        assert late.body.startswith(SERVING + b"\x80") and b"grpc-status: 4" in late.body
    with scene.browser() as browser:
        stream = browser("POST", f"{HEALTH}/Watch", own, empty, length=len(SERVING))
        assert stream.body == SERVING, "the first message comes while the stream goes on"


def check_caddy(scene):
    stop(scene.nginx)
    with scene.caddy():
        check_browsers(scene)
        step("devices sync and watch through Caddy")
        phone = scene.device("phone")
        with scene.watch("tablet") as watch:
            watch.await_exchange()
            phone("water", "add", "360ml")
            phone("sync")
            watch.await_news()
    scene.start_nginx()


def check_backups(scene):
    step("the backup script keeps as many as it is told, and a restored one serves")
    script = scene.examples / "systemd" / "atrest-backup"
    folder = scene.folder / "backups"
    folder.mkdir(mode=0o700)
    environment = os.environ | {"ATREST_SYNCD": str(scene.binaries / "atrest-syncd")}
    names = []
    for _ in range(3):
        run([str(script), str(scene.data), str(folder), "2"], env=environment)
        names.append(sorted(folder.glob("*.db"))[-1].name)
        await_that(lambda: time.strftime("%S") != names[-1][-6:-4], "a second later")
    left = sorted(file.name for file in folder.iterdir())
    assert left == sorted(f"{name}{end}" for name in names[1:] for end in ("", ".sha256")), left
    scene.stop_daemon()
    restored = scene.folder / "restored"
    program = str(scene.binaries / "atrest-syncd")
    run([program, "restore", str(folder / names[-1]), "--data", str(restored)])
    scene.data = restored
    scene.start_daemon()
    phone = scene.device("phone")
    phone("water", "add", "400ml")
    phone("sync")
    scene.device("tablet")("sync")
    assert phone("replica", "dump") == scene.device("tablet")("replica", "dump")


def check_certificates(scene):
    step("a renewed certificate is shown after certbot's hook")
    folder, tools = scene.folder / "tls", scene.folder / "tools"
    folder.mkdir(mode=0o700)
    tools.mkdir()
    stand_in = tools / "systemctl"
    stand_in.write_text('#!/bin/sh\n[ "$1" = reload ] && kill -HUP "$DAEMON"\nexit 0\n')
    stand_in.chmod(0o755)

    def deploy():
        run(
            [str(scene.examples / "systemd" / "atrest-certificate")],
            env=os.environ
            | {
                "PATH": f"{tools}:{os.environ['PATH']}",
                "RENEWED_LINEAGE": str(scene.folder),
                "ATREST_TLS": str(folder),
                "DAEMON": str(scene.daemon.pid),
            },
        )

    for name in ("fullchain.pem", "privkey.pem"):
        shutil.copy(scene.folder / name, folder / name)
    scene.stop_daemon()
    files = ["--tls-cert", str(folder / "fullchain.pem"), "--tls-key", str(folder / "privkey.pem")]
    scene.start_daemon(files)
    first = scene.certificate()
    scene.make_certificate()
    deploy()
    await_that(lambda: scene.certificate() != first, "the new certificate is shown")


def check_nodes(scene):
    step("two nodes of three are down: calls and streams reach the third")
    stop(scene.nginx)
    scene.use_nodes([free_port("127.0.0.1"), scene.inner, free_port("127.0.0.1")])
    phone, tablet = scene.device("phone"), scene.device("tablet")
    with scene.watch("tablet") as watch:
        watch.await_exchange()
        for amount in range(401, 407):
            phone("water", "add", f"{amount}ml")
            phone("sync")
            watch.await_news()
    assert phone("replica", "dump") == tablet("replica", "dump")


def check_planted_links(examples, folder):
    """The folder of certificates is the daemon's; who has taken the daemon over may not reach root's files by it."""
    if os.geteuid() != 0:
        return print("-- links in certbot's way are not looked at: that takes root", flush=True)
    step("certbot's hook follows no link that the daemon planted")
    nobody = 65534
    tls, lineage = folder / "planted", folder / "lineage"
    roots = folder / "root's"
    tls.mkdir(mode=0o700)
    lineage.mkdir(mode=0o700)
    roots.write_text("root's own")
    for name in ("fullchain.pem", "privkey.pem"):
        (lineage / name).write_text(name)
        (tls / f"{name}.new").symlink_to(roots)
        (tls / name).symlink_to(roots)
    os.chown(tls, nobody, nobody)
    environment = os.environ | {"RENEWED_LINEAGE": str(lineage), "ATREST_TLS": str(tls)}
    stand_in = folder / "tools-of-links"
    stand_in.mkdir()
    (stand_in / "systemctl").write_text("#!/bin/sh\nexit 1\n")
    (stand_in / "systemctl").chmod(0o755)
    environment["PATH"] = f"{stand_in}:{environment['PATH']}"
    run([str(examples / "systemd" / "atrest-certificate")], env=environment)
    assert roots.read_text() == "root's own" and roots.stat().st_uid == 0
    for name in ("fullchain.pem", "privkey.pem"):
        state = (tls / name).lstat()
        assert stat.S_ISREG(state.st_mode) and state.st_uid == nobody, state
        assert stat.S_IMODE(state.st_mode) == 0o600 and (tls / name).read_text() == name


def check_units(units, folder):
    if not shutil.which("systemd-analyze"):
        return print("-- the units are not looked at: systemd-analyze is not installed", flush=True)
    step("systemd finds nothing to say about the units")
    copies = []
    for unit in sorted(units.glob("*.*")):
        # The programs need not be installed here.
        text = unit.read_text().replace("/usr/local/bin/atrest-syncd", "/bin/true")
        # The daemon's output may contain what anybody sent it. A process that reads it must have no
        # more rights than the daemon.
        assert unit.suffix != ".service" or "\nDynamicUser=yes\n" in text, unit.name
        copy = folder / unit.name
        copy.write_text(text.replace("/usr/local/bin/atrest-backup", "/bin/true"))
        copies.append(str(copy))
    done = run(["systemd-analyze", "verify", "--man=no", *copies])
    assert not done.stderr.strip(), done.stderr
    for name in ("atrest-syncd.service", "atrest-syncd@.service"):
        score = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes", "--threshold=20", str(folder / name)],
            capture_output=True,
            text=True,
        )
        assert score.returncode == 0, score.stdout + score.stderr


class Scene:
    """nginx, the daemon, and the folders of devices."""

    def __init__(self, binaries, examples, folder):
        self.binaries, self.examples, self.folder = binaries, examples, folder
        self.data = folder / "data"
        self.nginx = self.daemon = None
        self.name, self.host, self.is_named = resolve()
        self.port, self.inner = free_port(self.host), free_port("127.0.0.1")

    def __enter__(self):
        try:
            self._make_certificates()
            self._write_configuration()
            self._write_app()
            self.start_daemon()
            self.start_nginx()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *problem):
        if problem and problem[0]:
            for log in sorted(self.folder.glob("*.log")):
                print(f"-- {log.name}\n{log.read_text(errors='replace')[-3000:]}", file=sys.stderr)
        for process in (self.nginx, self.daemon):
            stop(process)

    def _make_certificates(self):
        here = self.folder
        openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            "/CN=Test authority",
            "-days",
            "2",
            "-keyout",
            here / "ca.key",
            "-out",
            here / "ca.pem",
        )
        self.make_certificate()

    def make_certificate(self):
        here = self.folder
        openssl(
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            f"/CN={self.name[:60]}",
            "-keyout",
            here / "privkey.pem",
            "-out",
            here / "server.csr",
        )
        (here / "names").write_text(f"subjectAltName=DNS:{self.name}\n")
        openssl(
            "x509",
            "-req",
            "-in",
            here / "server.csr",
            "-CA",
            here / "ca.pem",
            "-CAkey",
            here / "ca.key",
            "-CAcreateserial",
            "-days",
            "1",
            "-extfile",
            here / "names",
            "-out",
            here / "fullchain.pem",
        )

    def _write_configuration(self):
        """The example as it is, but for names, ports and paths."""
        node = {"server 127.0.0.1:7443;": f"server 127.0.0.1:{self.inner};"}
        self._write_example("nginx.conf", node)

    def _write_example(self, name, upstreams):
        text = (self.examples / name).read_text()
        literal = f"[{self.host}]" if ":" in self.host else self.host
        names = {
            "listen 443 ssl http2;": f"listen {literal}:{self.port} ssl http2;",
            "    listen [::]:443 ssl http2;\n": "",
            "/etc/letsencrypt/live/sync.example.org": str(self.folder),
            "server_name sync.example.org;": f"server_name {self.name};",
        }
        for old, new in (upstreams | names).items():
            assert old in text, f"the example has no {old!r} any more"
            text = text.replace(old, new)
        (self.folder / "atrest.conf").write_text(text)
        paths = "".join(
            f"  {kind}_temp_path {self.folder}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (self.folder / "nginx.conf").write_text(
            f"daemon off;\nworker_processes 2;\npid {self.folder}/nginx.pid;\n"
            f"error_log {self.folder}/nginx.log notice;\n"
            + ("user root;\n" if os.geteuid() == 0 else "")
            + "events {}\n"
            f"http {{\n  access_log off;\n{paths}  include {self.folder}/atrest.conf;\n}}\n"
        )

    def _write_app(self):
        """A web app of one page, as Scripts/build-web makes one."""
        app = self.folder / "app"
        app.mkdir()
        (app / "index.html").write_bytes(PAGE)
        digest = hashlib.sha256(PAGE).hexdigest()
        form = {"coding": "identity", "file": "index.html", "sha256": digest}
        page = {"path": "/", "sha256": digest, "type": "text/html", "forms": [form]}
        (app / "assets.json").write_text(json.dumps({"assets": [page]}))

    @contextlib.contextmanager
    def caddy(self):
        """Caddy with its example, but for names, ports and paths, and without looking for a certificate."""
        text = (self.examples / "Caddyfile").read_text()
        literal = f"[{self.host}]" if ":" in self.host else self.host
        site = f"https://{self.name}:{self.port} {{\n\tbind {literal}\n"
        site += f"\ttls {self.folder}/fullchain.pem {self.folder}/privkey.pem\n"
        names = {"sync.example.org {\n": site, "h2c://127.0.0.1:7443": f"h2c://127.0.0.1:{self.inner}"}
        for old, new in names.items():
            assert old in text, f"the example has no {old!r} any more"
            text = text.replace(old, new)
        alone = "{\n\tadmin off\n\tauto_https off\n\tgrace_period 1s\n}\n"
        configuration = self.folder / "Caddyfile"
        configuration.write_text(alone + text)
        homes = {"HOME": self.folder, "XDG_DATA_HOME": self.folder, "XDG_CONFIG_HOME": self.folder}
        with open(self.folder / "caddy.log", "ab") as log:
            process = start(
                ["caddy", "run", "--config", str(configuration), "--adapter", "caddyfile"],
                stdout=log,
                stderr=log,
                env=os.environ | {name: str(home) for name, home in homes.items()},
            )
        try:
            await_that(lambda: process.poll() is not None or is_open(self.host, self.port), "Caddy listens")
            assert process.poll() is None, "Caddy ended"
            yield
        finally:
            stop(process)

    def start_nginx(self):
        configuration = str(self.folder / "nginx.conf")
        log = str(self.folder / "nginx.log")
        run(["nginx", "-t", "-q", "-e", log, "-c", configuration])
        with open(self.folder / "nginx-output.log", "ab") as output:
            self.nginx = start(
                ["nginx", "-e", log, "-c", configuration], stdout=output, stderr=output
            )
        await_that(lambda: is_open(self.host, self.port), "nginx listens")

    def use_nodes(self, ports):
        """Starts nginx anew with the example for several nodes, at the same address."""
        nodes = {
            f"server 10.0.0.1{number}:7443": f"server 127.0.0.1:{port}"
            for number, port in enumerate(ports, 1)
        }
        authority = {
            "/etc/ssl/certs/ca-certificates.crt": f"{self.folder}/ca.pem",
            "grpc_ssl_name sync.example.org;": f"grpc_ssl_name {self.name};",
        }
        self._write_example("nginx-nodes.conf", nodes | authority)
        self.start_nginx()

    def start_daemon(self, encryption=("--insecure",)):
        with open(self.folder / "daemon.log", "ab") as log:
            self.daemon = start(
                [
                    str(self.binaries / "atrest-syncd"),
                    "serve",
                    *encryption,
                    "--data",
                    str(self.data),
                    "--listen",
                    f"127.0.0.1:{self.inner}",
                    "--advertise",
                    f"{self.name}:{self.port}",
                    "--web",
                    str(self.folder / "app"),
                ],
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert b"listening" in self.daemon.stdout.readline(), "the daemon did not start"

    def certificate(self):
        """What the daemon itself shows."""
        context = ssl.create_default_context(cafile=str(self.folder / "ca.pem"))
        context.set_alpn_protocols(["h2"])
        with socket.create_connection(("127.0.0.1", self.inner), timeout=5) as plain:
            with context.wrap_socket(plain, server_hostname=self.name) as encrypted:
                return encrypted.getpeercert(binary_form=True)

    def stop_daemon(self):
        assert stop(self.daemon) == 0
        self.daemon = None

    def has_new_workers(self):
        return (self.folder / "nginx.log").read_text().count("start worker process ") >= 4

    def owner(self, *arguments):
        return run([str(self.binaries / "atrest-syncd"), *arguments, "--data", str(self.data)])

    def environment(self, authorities=None):
        trusted = str(authorities or self.folder / "ca.pem")
        return os.environ | {
            "SSL_CERT_FILE": trusted,
            "SSL_CERT_DIR": "/nonexistent",
            "NO_COLOR": "1",
        }

    def command(self, name, *arguments):
        return [str(self.binaries / "atrest"), *arguments, "--replica", str(self.folder / name)]

    def device(self, name, authorities=None):
        """A function that runs `atrest` on a device and gives what it printed, or complained about."""

        def call(*arguments, fails=False):
            done = subprocess.run(
                self.command(name, *arguments),
                env=self.environment(authorities),
                capture_output=True,
                text=True,
                timeout=LIMIT_SECONDS,
            )
            assert (done.returncode != 0) == fails, (arguments, done.stdout, done.stderr)
            return done.stderr if fails else done.stdout

        return call

    @contextlib.contextmanager
    def browser(self):
        """A function that makes one HTTP/1.1 request after the other on a connection, and gives the answer."""
        context = ssl.create_default_context(cafile=str(self.folder / "ca.pem"))
        connection = http.client.HTTPSConnection(
            self.name, self.port, timeout=LIMIT_SECONDS, context=context
        )

        def request(method, path, headers={}, body=None, length=None):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            # Of a stream that goes on, only as much as has come.
            answer.body = answer.read(length)
            return answer

        try:
            yield request
        finally:
            connection.close()

    def watch(self, name):
        return Watch(self.command(name, "sync", "--watch", "--json"), self.environment())


class Watch:
    """`atrest sync --watch`, and what it says."""

    def __init__(self, command, environment):
        self.process = start(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.said = b""

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        stop(self.process)

    def await_exchange(self):
        """Waits for the next report, even if nothing came."""
        self.await_news(rb'"sent"')

    def await_news(self, words=rb'"(received|pulled)"\s*:\s*[1-9]'):
        """Waits for the next report that something came."""
        until = time.monotonic() + LIMIT_SECONDS
        while True:
            line, _, rest = self.said.partition(b"\n")
            if rest or self.said.endswith(b"\n"):
                self.said = rest
                if re.search(words, line):
                    return
                continue
            left = until - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, left))
            assert ready, f"the watching device heard nothing: {self.said!r}"
            chunk = os.read(self.process.stdout.fileno(), 65536)
            assert chunk, "the watching device ended"
            self.said += chunk


def resolve():
    """A name of this machine that is not localhost, an address it stands for, and whether there is one."""
    for name in NAMES:
        if name == "localhost":
            continue
        try:
            host = socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM)[0][4][0]
            free_port(host)
            return name, host, True
        except OSError:
            continue
    return "localhost", "127.0.0.1", False


def free_port(host):
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def is_open(host, port):
    try:
        socket.create_connection((host, port), timeout=1).close()
        return True
    except OSError:
        return False


def await_that(holds, words):
    until = time.monotonic() + LIMIT_SECONDS
    while not holds():
        assert time.monotonic() < until, f"waited in vain: {words}"
        time.sleep(0.02)


def start(command, **options):
    # setpriv: the child dies with this process, even if that is killed.
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", *command], stdin=subprocess.DEVNULL, **options
    )


def stop(process):
    if process is None:
        return None
    if process.poll() is None:
        process.terminate()
    try:
        return process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, **options)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done


def openssl(*arguments):
    run(["openssl", *map(str, arguments)])


def step(words):
    print(f"-- {time.monotonic() - BEGAN:4.1f} s: {words}", flush=True)


BEGAN = time.monotonic()


main()
