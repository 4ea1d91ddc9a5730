"""A Prometheus server as a child process."""

import programs


class Prometheus(programs.Listener):
    """Accepts remote writes; returned when it is ready.

    `folder` holds the configuration, the data and the log. A `config` that contains the server's
    address needs that `address`; otherwise a free one is used. Runs `program`, or the one that
    `./dev setup test` provides.
    """

    def __init__(self, folder, *flags, config="{}\n", address=None, program=None):
        self.data = folder / "prometheus-data"
        config_path = folder / "prometheus.yml"
        config_path.write_text(config)
        address = address or programs.free_address()
        super().__init__(
            folder, "prometheus",
            [program or programs.find_program("prometheus"), f"--config.file={config_path}",
             f"--storage.tsdb.path={self.data}", f"--web.listen-address={address}",
             "--web.enable-remote-write-receiver", *flags], address, "/-/ready")
