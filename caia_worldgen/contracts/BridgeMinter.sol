// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IBridgedToken {
    function mint(address to, uint256 amount) external;

    function burnFrom(address from, uint256 amount) external;
}

/// The bridge's end on the roll-up: mints what was locked, and burns what goes back.
/// Nonces of mints are those of the locks on the main chain, each honoured once; nonces of burns count from 0.
contract BridgeMinter {
    address public immutable relayer;
    uint256 public nextNonce;
    mapping(uint256 => bool) public minted;
    mapping(address => address) public localOf;
    mapping(address => address) public remoteOf;
    mapping(address => bool) public isLocal;

    event Registered(address indexed remoteToken, address indexed localToken);
    event Minted(
        uint256 indexed nonce,
        address indexed localToken,
        address indexed recipient,
        address remoteToken,
        uint256 amount
    );
    event Burned(
        uint256 indexed nonce,
        address indexed localToken,
        address indexed sender,
        address remoteToken,
        address recipient,
        uint256 amount
    );

    error NotRelayer();
    error AlreadyRegistered();
    error NotRegistered(address token);
    error AlreadyMinted(uint256 nonce);
    error ZeroAmount();

    modifier onlyRelayer() {
        if (msg.sender != relayer) revert NotRelayer();
        _;
    }

    constructor(address relayer_) {
        relayer = relayer_;
    }

    /// Pair a token of the main chain (the zero address for its native coin) with one made here.
    function register(address remoteToken, address localToken) external onlyRelayer {
        if (localOf[remoteToken] != address(0) || isLocal[localToken]) revert AlreadyRegistered();
        localOf[remoteToken] = localToken;
        remoteOf[localToken] = remoteToken;
        isLocal[localToken] = true;
        emit Registered(remoteToken, localToken);
    }

    function mintFor(uint256 nonce, address remoteToken, address recipient, uint256 amount) external onlyRelayer {
        address localToken = localOf[remoteToken];
        if (localToken == address(0)) revert NotRegistered(remoteToken);
        if (minted[nonce]) revert AlreadyMinted(nonce);
        minted[nonce] = true;
        emit Minted(nonce, localToken, recipient, remoteToken, amount);
        IBridgedToken(localToken).mint(recipient, amount);
    }

    function burn(address localToken, uint256 amount, address recipient) external returns (uint256 nonce) {
        if (!isLocal[localToken]) revert NotRegistered(localToken);
        if (amount == 0) revert ZeroAmount();
        nonce = nextNonce++;
        emit Burned(nonce, localToken, msg.sender, remoteOf[localToken], recipient, amount);
        IBridgedToken(localToken).burnFrom(msg.sender, amount);
    }
}
